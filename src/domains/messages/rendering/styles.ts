import { BASE_THEME_COLORS, FONTS, type Appearance } from '../../configuration/appearance.ts'

const TEXT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Inline styles of an email. They cover everything except dark mode and small screens, because many email clients drop stylesheets. */
export interface EmailStyles {
  look: Appearance
  /** Returns the attributes ` class="…" style="…"` of a rich text tag. */
  of: (tag: string) => string
  heading: (level: number) => string
  body: string
  small: string
  sheet: string
}

/** Side padding of every row in pixels, smaller on phones. */
export const SIDE_PADDING_PX = 40

export function createEmailStyles(look: Appearance): EmailStyles {
  const { light } = look
  const { text, muted, line } = BASE_THEME_COLORS.light
  const headingFont = `font-family:${FONTS[look.font]}`
  const heading = (size: number, height: number) =>
    `margin:0;${headingFont};font-size:${size}px;line-height:${height}px;font-weight:700;color:${text}`
  const cell = `padding:8px 12px 8px 0;border-bottom:1px solid ${line};text-align:left;vertical-align:top`
  const tags: Record<string, string> = {
    p: ' style="margin:0 0 16px"',
    a: ` class="l" style="color:${light.accent};text-decoration:underline"`,
    ul: ' style="margin:0 0 16px;padding-left:24px"',
    ol: ' style="margin:0 0 16px;padding-left:24px"',
    li: ' style="margin:0 0 6px"',
    h2: ` class="t" style="${heading(20, 28)};margin:8px 0 12px"`,
    h3: ` class="t" style="${heading(17, 24)};margin:8px 0 8px"`,
    h4: ` class="t" style="${heading(15, 22)};margin:8px 0 8px"`,
    blockquote: ` class="b" style="margin:0 0 16px;padding-left:16px;border-left:3px solid ${line}"`,
    hr: ` class="b" style="border:0;border-top:1px solid ${line};margin:16px 0"`,
    table: ' style="width:100%;border-collapse:collapse;margin:0 0 16px"',
    th: ` class="b" style="${cell};font-weight:600"`,
    td: ` class="b" style="${cell}"`,
    code: ' style="font-family:Menlo,Consolas,monospace;font-size:14px"',
  }
  return {
    look,
    of: (tag) => (Object.hasOwn(tags, tag) ? tags[tag]! : ''),
    heading: (level) => (level === 1 ? heading(26, 34) : level === 2 ? heading(21, 29) : heading(17, 24)),
    body: `${TEXT};font-size:16px;line-height:25px;color:${text}`,
    small: `${TEXT};font-size:13px;line-height:20px;color:${muted}`,
    sheet: createStylesheet(look),
  }
}

/** Creates the stylesheet of an email. Dark mode is written twice: as a media query, and for the attribute that Outlook on the web sets. */
function createStylesheet({ dark }: Appearance): string {
  const { surface, surface2, text, muted, line } = BASE_THEME_COLORS.dark
  const rules = [
    ['.page', `background:${surface2}!important`],
    ['.card', `background:${surface}!important;border-color:${line}!important`],
    ['.t', `color:${text}!important`],
    ['.m', `color:${muted}!important`],
    ['.l', `color:${dark.accent}!important`],
    ['.b', `border-color:${line}!important`],
    ['.q', `background:${dark.soft}!important`],
    ['.p', `background:${dark.accent}!important;border-color:${dark.accent}!important`],
    ['.pl', `color:${dark.text}!important`],
    ['.s', `border-color:${dark.accent}!important`],
  ] as const
  const formatRules = (prefix: string) => rules.map(([name, rule]) => `${prefix}${name}{${rule}}`).join('')
  return [
    ':root{color-scheme:light dark;supported-color-schemes:light dark}',
    'img{border:0;max-width:100%;height:auto}',
    `@media (max-width:620px){.pad{padding-left:20px!important;padding-right:20px!important}.edge{padding:0!important}.card{border-radius:0!important;border-left:0!important;border-right:0!important}.col{max-width:100%!important}}`,
    `@media (prefers-color-scheme:dark){${formatRules('')}}`,
    formatRules('[data-ogsc] '),
  ].join('')
}
