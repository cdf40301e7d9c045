import { raw } from 'hono/html'
import { cleanHtml } from '../../../domains/configuration/rich-text.ts'

/** What an organizer wrote with marks, without any that could do harm. */
export const Prose = ({ html }: { html: string }) => <div class="prose">{raw(cleanHtml(html).html)}</div>
