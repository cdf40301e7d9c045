import { renderBadgePdf } from '../../../../domains/attendance/badge-pdf.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { sendDocumentFile } from '../../registration/documents.ts'
import type { WebServices } from '../../web.ts'
import { createConsoleRouter } from '../frame.tsx'
import { getParticipantPageContext, CONSOLE_PARTICIPANT_PATH } from './participant-page.ts'

/** `…/participants/<id>/badge.pdf`: the badge to print. */
export function participantBadgeRoutes(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_PARTICIPANT_PATH}/badge.pdf`, async (c) => {
    const at = await getParticipantPageContext(web, c, 'registration.read')
    const pdf = await renderBadgePdf(at.reading, at.row)
    if (!pdf) throw notFound('This participant has no badge')
    return sendDocumentFile(c, pdf)
  })
}
