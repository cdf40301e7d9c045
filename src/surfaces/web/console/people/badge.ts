import { renderBadgePdf } from '../../../../domains/attendance/badge-pdf.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { sendDocument } from '../../registration/documents.ts'
import type { WebServices } from '../../web.ts'
import { consolePages } from '../frame.tsx'
import { getParticipantPage, CONSOLE_PARTICIPANT_PATH } from './participant-page.ts'

/** `…/participants/<id>/badge.pdf`: the badge to print. */
export function personBadges(web: WebServices) {
  return consolePages(web).get(`${CONSOLE_PARTICIPANT_PATH}/badge.pdf`, async (c) => {
    const at = await getParticipantPage(web, c, 'registration.read')
    const pdf = await renderBadgePdf(at.reading, at.row)
    if (!pdf) throw notFound('This participant has no badge')
    return sendDocument(c, pdf)
  })
}
