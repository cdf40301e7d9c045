const ENTITIES_BY_CHARACTER: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const CHARACTERS_BY_ENTITY: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Escapes text and attribute values. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES_BY_CHARACTER[character]!)

/** Reverses the entities that the sanitizer writes. */
export const unescapeHtml = (html: string) => html.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => CHARACTERS_BY_ENTITY[name]!)
