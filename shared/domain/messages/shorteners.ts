import { wordList } from './word-list.ts';

/**
 * The list `url-shortener` of MISP's warning lists, version 25 (CC0), without hosts that lead to one service's own
 * content (docs/decisions/dependencies.md).
 */
const listed = wordList(`
  1url.com 2h.ae 2ly.link 2no.co 2uuu.me 3c5.com 42url.com 4x.si 7x.qa 9lick.me abre.ai adcraft.co adcrun.ch adf.ly
  adflav.com aiy.ooo aka.gr artist.link b2n.ir bc.vc bee4.biz belea.link bit.do bit.ly bitly.com bitly.com.vn
  bitly.lc bitly.ws bom.so buff.ly buzurl.com bx.ms cektkp.com ci.ci clc.li clck.ru cml.lol coki.me cur.lv cut.by
  cutt.ly cutt.us cuty.io d.to dft.ba dik.si dub.co dub.sh dwz.mk e.vg encr.pw encurtador.dev etd.bz filoops.info
  flowto.it fun.ly fzy.co gg-l.xyz go.ly gog.li golinks.co goo.by goo.gd goo.gl goo.su han.gl hit.my hyp.ae
  hyperurl.co i3l.ir ic9.in id.tl idm.in iii.im iiil.io ilang.in inlnk.co insprl.com iplogger.com iplogger.org is.gd
  ito.mx ity.im iurl.vip j.mp jii.li komin.fo kortlink.dk kutti.co l.ead.me lc.cx link.zip.net linksshortcut.com
  linkto.im litby.us ln.run lnk.co lnk.direct lnk.ink lnk.pw lnkd.in lnkfi.re long.af longurl.in maxiurl.com mcaf.ee
  me2.do merky.de mjt.lu mtr.bio my5353.com mylinks.ai myqrcode.mobi n9.cl nanourly.in neya.io nov.io o2o.to
  odesli.co onelink.to onx.la ouvaton.link ow.ly p6l.org picz.us po.st postly.link ppt.cc prettylinkpro.com q-r.to
  q.gs qr-codes.io qr.net qrco.de qrcodes.pro qrkit.co rb.gy rebrand.ly rebrandly.com rebrandly.info relink.is
  reurl.cc ricardo.news s.devh.in s.ee s.id s.rlp.de s3r.io s59.site scrnch.me shly.link shorten.ee shorten.is
  shorten.tv shorter.me shortquik.com shorturl.ae shorturl.asia shorturl.at shrtcnl.com sht.ac sk.gy sl8.in
  smarturl.it smurl.fr sn.rs snip.ly song.link spoo.me sprl.in srink.co su.pr surl.li t.co t.ly temporary-url.com
  tg.pe tiny.cc tinyarrows.com tinyurl.com tinyurl.mobi tota2.com tr.ee tr.im trimz.me tt.vg tweez.me twitthis.com
  twixar.com twixar.me tyny.to u.bb u.to urled.cc urled.pro urless.com urlr.me urlshort.dev urltin.com urlz.fr
  ux9.de v.gd v.ht vtaurl.com vzturl.com webz.cc x.co xlinkz.info xtu.me xy2.eu yirra.net ykm.de yourls.org yu2.it
  yu3.io zpag.es zpr.io zurl.to zws.im zzb.bz
`);

/** Others that shorten links for anybody. */
const further = wordList(`
  adfoc.us b.link bl.ink chilp.it cli.re clk.sh da.gd dlvr.it gg.gg ht.ly kutt.it lnk.to lstu.fr ouo.io ouo.press
  rotf.lol sh.st short.gy short.io shorte.st shorturl.com shorturl.gg soo.gd t2m.io tiny.one tinyurl.is tny.im
  trib.al u.nu urlzs.com x.gd y.gy zip.lu
`);

/** Names below a shortener that lead to one service's own content. */
const ownContent = wordList('maps.app.goo.gl photos.app.goo.gl');

/** Whether a host, or a domain above it, takes anybody's link to anywhere: `youtu.be` does not. */
export function isShortener(host: string): boolean {
  if (ownContent.has(host)) return false;
  const labels = host.split('.');
  const domains = labels.map((_, index) => labels.slice(index).join('.'));
  return domains.some((domain) => listed.has(domain) || further.has(domain));
}
