import { css } from '../../../shared/http/html.ts';

/** Styles of the reference, in addition to those of every page. */
export const docsStyle = css`
  body{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:1.5rem;place-items:start stretch;max-width:80rem;
  margin:0 auto;padding:1.5rem}main{max-width:none}.skip{position:absolute;left:-99rem}
  .skip:focus{left:1rem;top:.5rem;padding:.5rem 1rem;background:light-dark(#fff,#202327)}
  nav{position:sticky;top:1.5rem;max-height:calc(100vh - 3rem);overflow-y:auto;font-size:.9375rem;padding:3px}
  nav ul,.entries{list-style:none;margin:0;padding:0}
  nav li a{display:block;padding:.3rem .6rem;border-radius:.375rem;color:inherit;text-decoration:none}
  nav li a:hover{background:light-dark(#e3e6ea,#2a2e33)}
  nav li a[aria-current]{background:light-dark(#dbe7fb,#2a3b57);font-weight:600}nav form{margin:0 0 .75rem}
  nav input{margin:.25rem 0 .5rem}nav button{padding:.4rem .9rem}
  nav .name{font-weight:700;font-size:1.0625rem;margin:0 0 .75rem}nav .name a{color:inherit;text-decoration:none}
  h2{font-size:1.1875rem;line-height:1.4;margin:0 0 .5rem}h2 a,h3 a{color:inherit;text-decoration:none}
  h2 a:hover,h2 a:focus-visible{text-decoration:underline}h3{font-size:1rem;margin:1.25rem 0 .25rem}
  section{margin-top:2.5rem;padding-top:1.75rem;border-top:1px solid light-dark(#dadce0,#3c4043);}
  h1+section{margin-top:0;padding-top:0;border:0}
  code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
  :not(pre)>code{background:light-dark(#eef0f3,#2b2f35);padding:.1em .3em;border-radius:.25rem}
  pre{margin:.5rem 0 1rem;padding:.875rem 1rem;border-radius:.5rem;background:light-dark(#f1f3f6,#15171a);
  overflow-x:auto;max-height:28rem;overflow-wrap:normal}
  .route{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:baseline;margin:0 0 .5rem}
  .route code{background:none;padding:0;font-size:.9375rem}
  .method{font:700 .75rem/1 ui-monospace,Menlo,Consolas,monospace;padding:.3rem .45rem;border-radius:.25rem;
  color:#fff;background:#1a5fd0;letter-spacing:.02em}.POST{background:#18743a}.PUT,.PATCH{background:#8a5300}
  .DELETE{background:#b3261e}.WEBHOOK{background:#6b3fa0}.fields{margin:.25rem 0 .5rem}
  .fields>div{padding:.5rem 0;border-top:1px solid light-dark(#e8eaed,#33373c)}.fields dt{font-weight:400}
  .fields dd{margin:.125rem 0 0;color:var(--quiet);font-size:.9375rem}.fields dd code{color:var(--ink)}
  .fields .fields{margin-left:.25rem;padding-left:.75rem;border-left:2px solid light-dark(#dadce0,#3c4043)}
  .type{color:var(--quiet);font-size:.875rem}.required{font-size:.8125rem;font-weight:600;color:var(--wrong)}
  details{margin:.375rem 0}summary{cursor:pointer;color:var(--link);width:fit-content}
  .entries li{padding:.5rem 0;border-top:1px solid light-dark(#e8eaed,#33373c)}
  .entries a{display:grid;grid-template-columns:4.75rem minmax(0,1fr);gap:.125rem .75rem;align-items:baseline;
  color:inherit;text-decoration:none}.entries a:hover .what,.entries a:focus-visible .what{text-decoration:underline}
  .entries .method{justify-self:start}.entries .what{grid-column:2;color:var(--quiet);font-size:.9375rem}
  .entries code{background:none;padding:0}
  table{width:100%;border-collapse:collapse;font-size:.9375rem;margin:.5rem 0 1rem}
  th,td{padding:.4rem .5rem .4rem 0;text-align:left;vertical-align:top;
  border-bottom:1px solid light-dark(#dadce0,#3c4043)}th{font-weight:600}td:first-child{white-space:nowrap}
  @media(max-width:52rem){body{grid-template-columns:minmax(0,1fr);padding:.75rem;gap:.75rem}
  nav{position:static;max-height:none}nav ul{display:flex;flex-wrap:wrap;gap:.125rem}main{padding:1.25rem}}
  @media(max-width:30rem){.entries a{grid-template-columns:minmax(0,1fr)}.entries .what{grid-column:1}}
`;
