const CHARACTERS_BY_ENTITY: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Decodes the HTML entities that the sanitizer writes. */
export const unescapeHtml = (html: string) => html.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => CHARACTERS_BY_ENTITY[name]!)
