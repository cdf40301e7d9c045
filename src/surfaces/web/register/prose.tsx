import { raw } from 'hono/html'
import { cleanHtml } from '../../../domains/configuration/rich-text.ts'

/** Rich text of the organizer, which is sanitized. */
export const SanitizedProse = ({ html }: { html: string }) => <div class="prose">{raw(cleanHtml(html).html)}</div>
