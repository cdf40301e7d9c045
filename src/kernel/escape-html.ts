const ENTITIES_BY_CHARACTER: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text for use in HTML elements and attribute values. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES_BY_CHARACTER[character]!)
