/** User agents of one kind of visitor, with the verdict on an open and on a click; undefined means a person. */
export interface Visitors {
  kind: string;
  opened: string | undefined;
  clicked: string | undefined;
  agents: readonly string[];
}

const prefetches = { opened: 'prefetch_agent', clicked: undefined };
const scans = { opened: 'scanner_agent', clicked: 'scanner_agent' };
const person = { opened: undefined, clicked: undefined };

const webkit537 = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const webkit605 = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** User agents seen in opens and clicks, by kind of visitor. */
export const visitors: readonly Visitors[] = [
  { kind: 'Apple Mail Privacy Protection', ...prefetches, agents: ['Mozilla/5.0'] },
  {
    kind: 'Gmail fetching ahead',
    ...prefetches,
    agents: [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} ` +
        'Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0',
    ],
  },
  {
    kind: 'the image proxies of Gmail and Yahoo',
    ...prefetches,
    agents: [
      'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
      'Mozilla/5.0 (Windows; U; Windows NT 5.1; de; rv:1.9.0.7) Gecko/2009021910 Firefox/3.0.7 ' +
        '(via ggpht.com GoogleImageProxy)',
      'Mozilla/5.0 (Windows; U; Windows NT 5.1; de; rv:1.9.0.7) Gecko/2009021910 Firefox/3.0.7 (via ggpht.com)',
      'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
    ],
  },
  {
    kind: 'a mail gateway',
    ...scans,
    agents: [
      'Barracuda Sentinel (EE)',
      'BarracudaCentral',
      'Mozilla/5.0 (compatible; Barracuda-URL-Check/1.0)',
      'Mozilla/5.0 (compatible; Barracuda Sentinel LinkProtect/1.0)',
      'Mozilla/5.0 (compatible; proofpoint-urldefense/1.0)',
      'Mozilla/5.0 Proofpoint URL Defense',
      'Mozilla/5.0 (Windows NT 10.0) urldefense-scanner/2.0 checker',
      'Mimecast Ltd',
      'Mozilla/5.0 (compatible; Mimecast-Inbound-Filter)',
      'Mozilla/5.0 (compatible; Mimecast Attachment Protect/2.0)',
      'Mozilla/5.0 (compatible; Symantec Email Security.cloud Link Following)',
      'MessageLabs Skeptic/1.0',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} Chrome/120.0.0.0 Safari/537.36 OutlookSafeLinks`,
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 SafeLinks/1.0',
      'TrendMicro-Web-Reputation/1.0',
      'Trend Micro Email Security',
      'Mozilla/5.0 (compatible; Forcepoint Email Security URL Analysis)',
      'FireEye Email Security',
      'Cloudmark Authority',
      'Sophos Email Appliance',
      'IronPort-URL-Filter/1.0',
      'CiscoSecureEmail/14.0',
      'Cisco Secure Email Gateway',
      'FortiGuard/1.0',
      'FortiMail-URL-Check',
    ],
  },
  {
    kind: 'a preview of a link in a chat or network',
    ...scans,
    agents: [
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'Slackbot 1.0 (+https://api.slack.com/robots)',
      'Slack-ImgProxy 0.19 (+https://api.slack.com/robots)',
      'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
      'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
      'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'facebookexternalhit/1.1',
      'facebookexternalhit/1.1;line-poker/1.0',
      'facebookexternalua',
      'Facebot',
      'Twitterbot/1.0',
      'TelegramBot (like TwitterBot)',
      'WhatsApp/2.23.20.0 A',
      'WhatsApp/2.2336.9 N',
      'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
      'Pinterest/0.2 (+http://www.pinterest.com/bot.html)',
      'redditbot/1.0 (+http://www.reddit.com/feedback)',
      'Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots',
      'Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)',
      'Iframely/1.3.1 (+https://iframely.com/docs/about)',
      'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
      'facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984',
    ],
  },
  {
    kind: 'a crawler',
    ...scans,
    agents: [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${webkit537} ` +
        'Chrome/80.0.3987.92 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Googlebot-Image/1.0',
      'AdsBot-Google (+http://www.google.com/adsbot.html)',
      'Mediapartners-Google',
      'APIs-Google (+https://developers.google.com/webmasters/APIs-Google.html)',
      'FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)',
      'Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)',
      'GoogleOther',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; Google Web Preview) ' +
        'Chrome/84.0.4147.108 Safari/537.36',
      'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
      'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
      'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) ${webkit605} ` +
        'Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
      'DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)',
      'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
      'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
      'Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.1 (KHTML, like Gecko) Chrome/21.0.1180.89 Safari/537.1; 360Spider',
      `Mozilla/5.0 (Linux; Android 6.0; Nexus 5 Build/MRA58N) ${webkit537} ` +
        'Chrome/51.0.5668.1446 Mobile Safari/537.36; Bytespider;bytespider@bytedance.com',
      'Mozilla/5.0 (compatible; AhrefsBot/5.0; +http://ahrefs.com/robot/)',
      'CCBot/2.0 (http://commoncrawl.org/faq/)',
      'ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)',
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
      'Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)',
      'Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)',
      'BacklinkCrawler (http://www.backlinktest.com/crawler.html)',
    ],
  },
  {
    kind: 'a program',
    ...scans,
    agents: [
      'curl/8.4.0',
      'Wget/1.21.3',
      'python-requests/2.31.0',
      'python-requests/2.32.5',
      'Python-urllib/3.11',
      'python-httpx/0.28.1',
      'Python/3.14 aiohttp/3.14.1',
      'Go-http-client/1.1',
      'Go-http-client/2.0',
      'Java/1.8.0_292',
      'Apache-HttpClient/4.5.13 (Java/11.0.12)',
      'libwww-perl/6.67',
      'GuzzleHttp/7',
      'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
      'axios/1.6.2',
      'undici',
      'got (https://github.com/sindresorhus/got)',
      'PostmanRuntime/7.36.0',
      'HTTPie/3.2.2',
      'Scrapy/2.11.0 (+https://scrapy.org)',
    ],
  },
  {
    kind: 'a browser without a screen',
    ...scans,
    agents: [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} HeadlessChrome/120.0.0.0 Safari/537.36`,
      'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
      `Mozilla/5.0 (Macintosh; intel mac os x 10_14_6) ${webkit537} ` +
        'Chrome/88.0.4324.175 Safari/537.36 Chrome-Lighthouse',
    ],
  },
  {
    kind: "an app that loads its images with a library; a click from it is not a person's",
    opened: undefined,
    clicked: 'scanner_agent',
    agents: ['okhttp/4.12.0', 'okhttp/3.12.13'],
  },
  {
    kind: 'a mail program on a computer',
    ...person,
    agents: [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko)',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_5) AppleWebKit/600.8.9 (KHTML, like Gecko)',
      'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.1; WOW64; Trident/7.0; SLCC2; .NET CLR 2.0.50727; ' +
        '.NET CLR 3.5.30729; .NET CLR 3.0.30729; Media Center PC 6.0; .NET4.0C; .NET4.0E; ' +
        'Microsoft Outlook 14.0.7162; ms-office; MSOffice 14)',
      'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 6.1; Trident/7.0; SLCC2; .NET CLR 2.0.50727; .NET4.0C; ' +
        '.NET4.0E; Microsoft Outlook 16.0.9029; ms-office; MSOffice 16)',
      'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 10.0; WOW64; Trident/7.0; Microsoft Outlook 16.0.11328; ' +
        'ms-office; MSOffice 16)',
      'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
      'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.10730; Pro)',
      'Microsoft Office/14.0 (Windows NT 6.1; Microsoft Outlook 14.0.5128; Pro; ms-office; MSOffice 14)',
      'MacOutlook/16.78.3.23102801 (Intelx64 Mac OS X Version 13.6 (Build 22G120))',
      'Outlook-Express/7.0 (MSIE 7.0; Windows NT 6.1; WOW64; Trident/7.0; TmstmpExt)',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:115.0) Gecko/20100101 Thunderbird/115.4.1',
      'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0',
      'Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US; rv:1.8.1.23) Gecko/20090812 Thunderbird/2.0.0.23',
      `Mozilla/5.0 (Windows NT 10.0; WOW64) ${webkit537} ` +
        'Mailspring/1.13.3 Chrome/112.0.5615.204 Electron/24.8.8 Safari/537.36',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit537} ` +
        'Superhuman/1038 Chrome/116.0.5845.188 Electron/26.2.1 Safari/537.36',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Evolution/3.44.4',
      'Airmail/5.7.1 (Macintosh; Mac OS X 13.5)',
      'Lotus-Notes/6.0; Windows-NT',
    ],
  },
  {
    kind: 'a mail app on a phone or tablet',
    ...person,
    agents: [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 9_3_2 like Mac OS X) AppleWebKit/601.1.46 (KHTML, like Gecko) Mobile/13F69',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${webkit605} Mobile/15E148 Outlook-iOS/4.2531.0`,
      'Outlook-iOS/709.2226530.prod.iphone (3.24.1)',
      'Outlook-Android/2.0',
      `Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) ${webkit537} ` +
        'Version/4.0 Chrome/120.0.6099.144 Mobile Safari/537.36',
      `Mozilla/5.0 (Linux; Android 13; Pixel 7 Build/TQ3A.230901.001; wv) ${webkit537} ` +
        'Version/4.0 Chrome/118.0.0.0 Mobile Safari/537.36 GSA/14.42.20.28.arm64',
      `Mozilla/5.0 (Linux; Android 12; M2101K6G Build/SKQ1.210908.001; wv) ${webkit537} ` +
        'Version/4.0 Chrome/117.0.5938.60 Mobile Safari/537.36',
      'Dalvik/2.1.0 (Linux; U; Android 9; SM-G965U Build/PPR1.180610.011)',
      'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6 Build/TQ3A.230805.001)',
      'Spark/2.11.21 CFNetwork/1410.0.3 Darwin/22.6.0',
      'Mail/3445.104.11 CFNetwork/902.3.1 Darwin/17.7.0 (x86_64)',
      'YahooMobileMail/1.0 (Android Mail; 5.2.2) (hero2lte;samsung;SM-G935F;7.0;2560x1440)',
      'Mozilla/5.0 (BlackBerry; U; BlackBerry 9780; en-GB) AppleWebKit/534.8+ (KHTML, like Gecko) ' +
        'Version/6.0.0.546 Mobile Safari/534.8+',
      'Mozilla/5.0 (BB10; Touch) AppleWebKit/537.35+ (KHTML, like Gecko) Version/10.3.2.2639 Mobile Safari/537.35+',
    ],
  },
  {
    kind: 'a phone whose name looks like a bot',
    ...person,
    agents: [
      `Mozilla/5.0 (Linux; Android 6.0; CUBOT MAX Build/MRA58K) ${webkit537} Chrome/51.0.2704.81 Mobile Safari/537.36`,
      `Mozilla/5.0 (Linux; Android 6.0; CUBOT DINOSAUR Build/MRA58K; wv) ${webkit537} ` +
        'Version/4.0 Chrome/44.0.2403.119 Mobile Safari/537.36',
      `Mozilla/5.0 (Linux; Android 8.0.0; CUBOT_P20) ${webkit537} Chrome/70.0.3538.110 Mobile Safari/537.36`,
      `Mozilla/5.0 (Linux; Android 10; CUBOT) ${webkit537} Chrome/96.0.4664.104 Mobile Safari/537.36`,
    ],
  },
  {
    kind: 'a browser on a computer',
    ...person,
    agents: [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit537} Chrome/131.0.0.0 Safari/537.36`,
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} Chrome/42.0.2311.135 Safari/537.36 Edge/12.246`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763`,
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0',
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit605} Version/18.1 Safari/605.1.15`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} Chrome/130.0.0.0 Safari/537.36 Vivaldi/7.0.3495.15`,
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit537} Brave Chrome/80.0.3987.132 Safari/537.36`,
      'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
      'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; WOW64; Trident/4.0; SLCC2; .NET CLR 2.0.50727)',
      'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 5.1; EmbeddedWB 14.52 from: http://www.bsalsa.com/ ' +
        'EmbeddedWB 14.52; .NET CLR 1.1.4322)',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_4) ${webkit605} Mobile/15E148 DuckDuckGo/7`,
      'Mozilla/5.0 (X11; FreeBSD amd64) AppleWebKit/605.1.15 (KHTML, like Gecko) Dooble/2.1.9.2',
    ],
  },
  {
    kind: 'a browser on a phone or tablet, in an app too',
    ...person,
    agents: [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit605} Version/18.1 Mobile/15E148 Safari/604.1`,
      `Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) ${webkit605} Version/16.6 Mobile/15E148 Safari/604.1`,
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit605} ` +
        'CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit605} FxiOS/132.0 Mobile/15E148 Safari/605.1.15`,
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit605} ` +
        'Version/18.0 EdgiOS/131.0.2903.48 Mobile/15E148 Safari/605.1.15',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${webkit605} ` +
        'GSA/343.0.695551749 Mobile/15E148 Safari/604.1',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) ${webkit605} ` +
        'Version/17.4.1 Mobile/15E148 Safari/604.1 (Ecosia ios@9.2.3.1367)',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 12_3_1 like Mac OS X) ${webkit605} ` +
        'Version/12.0 Mobile/15E148 Safari/605.1.15 BingWeb/6.37.2.0',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${webkit605} ` +
        'Mobile/21G80 [FBAN/FBIOS;FBAV/485.0.0.33.109;FBBV/642045423;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/17.6]',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${webkit605} ` +
        'Mobile/15E148 Instagram 345.0.0.24.109 (iPhone15,3; iOS 17_6; en_GB; en; scale=3.00; 1290x2796)',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${webkit605} Mobile/15E148 [LinkedInApp]/9.30.1532`,
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
      `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webkit537} Chrome/130.0.6723.86 Mobile Safari/537.36`,
      `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) ${webkit537} ` +
        'SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
      'Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0',
      `Mozilla/5.0 (Linux; U; Android 13; en-us; Redmi Note 12) ${webkit537} ` +
        'Version/4.0 Chrome/112.0.5615.136 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.10.1',
      `Mozilla/5.0 (Linux; Android 12; HarmonyOS; NOH-AN00; HMSCore 6.11.0.302) ${webkit537} ` +
        'Chrome/99.0.4844.88 HuaweiBrowser/13.0.6.303 Mobile Safari/537.36',
      `Mozilla/5.0 (Linux; Android 10) ${webkit537} Version/4.0 Chrome/84.0.4147.111 Mobile DuckDuckGo/5 Safari/537.36`,
      `Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) ${webkit537} ` +
        'Version/4.0 Chrome/130.0.6723.102 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/489.0.0.57.79;]',
      `Mozilla/5.0 (Linux; Android 9; KFTRWI) ${webkit537} Silk/108.4.6 like Chrome/108.0.5359.160 Safari/537.36`,
      'Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16',
    ],
  },
  {
    kind: 'a scanner that says it is a browser: nothing but its timing gives it away',
    ...person,
    agents: [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
      `Mozilla/5.0 (Linux; Android 9; itel A27) ${webkit537} Chrome/79.0.3945.93 Mobile Safari/537.36`,
    ],
  },
];
