import { raw } from 'hono/html'
import { cleanHtml } from '../../../domains/configuration/rich-text.ts'

/** Sanitized rich text written by the organizer. */
export const Prose = ({ html }: { html: string }) => <div class="prose">{raw(cleanHtml(html).html)}</div>
