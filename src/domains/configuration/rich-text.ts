import sanitize from 'sanitize-html'

const TAGS = [
  'p',
  'br',
  'strong',
  'em',
  'b',
  'i',
  'u',
  's',
  'a',
  'ul',
  'ol',
  'li',
  'h2',
  'h3',
  'h4',
  'blockquote',
  'span',
  'hr',
  'sup',
  'sub',
  'code',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
]

const RULES: sanitize.IOptions = {
  allowedTags: TAGS,
  allowedAttributes: { a: ['href', 'title'], th: ['colspan', 'rowspan', 'scope'], td: ['colspan', 'rowspan'] },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
}

/**
 * Options that keep every tag and attribute. If the HTML sanitized with the real rules differs from the HTML processed with these options,
 * sanitizing removed something.
 */
const EVERYTHING: sanitize.IOptions = { allowedTags: false, allowedAttributes: false, allowVulnerableTags: true, allowedSchemes: false }

const MAX_HTML = 100_000

/** Sanitizes rich text: removes scripts, external resources and anything that could imitate the page. */
export function cleanHtml(html: string): { html: string; stripped: boolean } {
  // Texts above the length limit are rejected later, so they are not parsed here.
  if (html.length > MAX_HTML || !/[<&]/.test(html)) return { html, stripped: false }
  const clean = sanitize(html, RULES).trim()
  return { html: clean, stripped: clean !== sanitize(html, EVERYTHING).trim() }
}

/** Returns the plain words of a rich text, for searching and counting. */
export const htmlToPlainText = (html: string) =>
  html.includes('<') || html.includes('&')
    ? sanitize(html.replace(/<(br|\/p|\/li|\/h[2-4]|\/t[dh])\b[^>]*>/gi, ' $&'), { allowedTags: [], allowedAttributes: {} })
        .replace(/&(amp|lt|gt|quot);/g, (whole, name: string) => ENTITIES[name] ?? whole)
        .replace(/\s+/g, ' ')
        .trim()
    : html

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }
