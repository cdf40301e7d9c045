import { BASE_THEME_COLORS } from '../../configuration/appearance.ts'
import { escapeHtml } from '../../../kernel/escape-html.ts'
import { LAYOUT_TABLE_ATTRIBUTES } from './parts.ts'
import { SIDE_PADDING_PX, type EmailStyles } from './styles.ts'

export interface EmailDocumentContent {
  locale: string
  direction: 'ltr' | 'rtl'
  subject: string
  /** The preview text that email clients show in the inbox list. */
  preheader: string
  sender: { name: string; logo?: string }
  rows: string
  footer: string
}

/** Invisible characters after the preview text of an email, so that email clients do not show the first words of the body there. */
const PREHEADER_FILLER = '&#847;&zwnj;&nbsp;'.repeat(40)

/** Renders the HTML document of an email: one column of at most 600 px, built with tables for Outlook. */
export function renderEmailDocument(
  { locale, direction, subject, preheader, sender, rows, footer }: EmailDocumentContent,
  styles: EmailStyles,
): string {
  const { surface, surface2, line, text } = BASE_THEME_COLORS.light
  const hidden =
    'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;color:transparent;mso-hide:all'
  const name = escapeHtml(sender.name)
  const head = sender.logo
    ? `<img src="${escapeHtml(sender.logo)}" alt="${name}" height="40" style="display:block;height:40px;width:auto;max-width:240px;border:0">`
    : `<span class="t" style="${styles.body};font-size:17px;font-weight:700;letter-spacing:-0.2px;color:${text}">${name}</span>`
  return `<!doctype html>
<html lang="${escapeHtml(locale)}" dir="${direction}" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="x-apple-disable-message-reformatting">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>td,a,p,h1,h2,h3,span{font-family:'Segoe UI',Arial,sans-serif!important}</style><![endif]-->
<style>${styles.sheet}</style>
</head>
<body class="page" style="margin:0;padding:0;width:100%;background:${surface2};-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%">
${preheader === '' ? '' : `<div style="${hidden}">${preheader}${PREHEADER_FILLER}</div>`}
<table ${LAYOUT_TABLE_ATTRIBUTES} width="100%" class="page" bgcolor="${surface2}" style="width:100%;background:${surface2}"><tr><td class="edge" align="center" style="padding:32px 12px">
<!--[if mso]><table ${LAYOUT_TABLE_ATTRIBUTES} width="600" align="center"><tr><td><![endif]-->
<table ${LAYOUT_TABLE_ATTRIBUTES} width="100%" style="width:100%;max-width:600px;margin:0 auto;text-align:${direction === 'rtl' ? 'right' : 'left'}">
<tr><td class="pad" style="padding:20px ${SIDE_PADDING_PX}px">${head}</td></tr>
<tr><td class="card" bgcolor="${surface}" style="background:${surface};border:1px solid ${line};border-radius:${styles.look.radius}px;padding:36px 0 16px"><table ${LAYOUT_TABLE_ATTRIBUTES} width="100%" style="width:100%">${rows}</table></td></tr>
<tr><td class="pad" style="padding:24px ${SIDE_PADDING_PX}px">${footer}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`
}
