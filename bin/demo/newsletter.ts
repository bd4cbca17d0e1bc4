/** The demo's campaign, apart from its name and list. */
export const newsletter = {
  subject: '{{first_name | default: "Hello"}}, your first campaign has arrived',
  preheader: 'Sent by Mailwright, through the same pipeline as in production.',
  from_name: 'Mailwright Demo',
  from_email: 'hello@demo.example',
  reply_to: 'hello@demo.example',
};

/** Its body: merge tags with fallbacks, two links to click, and the unsubscribe link that every campaign needs. */
export const newsletterHtml = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Your first campaign</title>
</head>
<body style="margin:0;background:#f2f4f7;font-family:Helvetica,Arial,sans-serif;color:#1d2433">
  <table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr>
  <td align="center" style="padding:32px 12px">
    <table role="presentation" width="560" cellpadding="0" cellspacing="0"
      style="max-width:560px;width:100%;background:#ffffff;border-radius:8px">
      <tr><td style="padding:32px 40px 8px">
        <h1 style="margin:0;font-size:24px;line-height:1.3">Good to see you, {{first_name | default: "friend"}}</h1>
      </td></tr>
      <tr><td style="padding:8px 40px;font-size:16px;line-height:1.6">
        <p>This message came out of a real campaign: screened, sent in pages, and reported on.
        It knows that you work at <strong>{{company | default: "a place we have yet to hear of"}}</strong>
        and write from <strong>{{city | default: "somewhere nice"}}</strong>, because your import said so.</p>
        <p>Open it or follow a link, and the report counts you.</p>
      </td></tr>
      <tr><td style="padding:8px 40px 24px">
        <a href="https://example.com/tour"
          style="display:inline-block;padding:12px 24px;border-radius:6px;background:#2457d6;color:#ffffff"
          >Take the tour</a>
        &nbsp; <a href="https://example.com/news" style="color:#2457d6">What is new</a>
      </td></tr>
      <tr><td style="padding:16px 40px 32px;border-top:1px solid #e4e7ee;font-size:13px;line-height:1.5;color:#667085">
        Sent to {{email}}. <a href="{{unsubscribe_url}}" style="color:#667085">Unsubscribe</a>
      </td></tr>
    </table>
  </td></tr></table>
</body>
</html>
`;
