const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** For text and for values of attributes alike. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!)

/** Of what the sanitiser wrote, which uses no other entities. */
export const unescapeHtml = (html: string) => html.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => SIGNS[name]!)
