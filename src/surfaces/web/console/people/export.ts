import { findParticipants } from '../../../../domains/registration/find/find-participants.ts'
import { formatCsvLine } from '../../../../domains/sheets/csv.ts'
import { recordChange } from '../../../../kernel/audit.ts'
import { streamCsvDownload } from '../csv-download.ts'
import { requirePermission, createConsoleRouter, requireConsoleForm } from '../frame.tsx'
import { getEventPageContext, runEventChange, CONSOLE_EVENT_PATH } from '../event/event-page.ts'
import { buildListCursorScope } from '../filters.ts'
import type { WebServices } from '../../web.ts'
import { type ListedParticipant, toParticipantFilter } from './list.tsx'

const CSV_HEADER = ['Name', 'Email', 'Company', 'Status', 'Number', 'Flow', 'Tags', 'Group', 'Balance', 'Currency', 'Id']

const lineOf = (person: ListedParticipant) =>
  formatCsvLine([
    person.name,
    person.email ?? '',
    person.company ?? '',
    person.status,
    person.confirmationNumber ?? '',
    person.flowSlug ?? '',
    person.tags.join(' '),
    person.groupCode ?? '',
    person.balance.amount,
    person.balance.currency,
    person.id,
  ])

/** `…/participants/export`: the filtered list as CSV. The export is recorded in the audit log. */
export function participantExportRoutes(web: WebServices) {
  return createConsoleRouter(web).post(`${CONSOLE_EVENT_PATH}/participants/export`, async (c) => {
    const filter = await requireConsoleForm(web, c)
    const at = await getEventPageContext(web, c, 'registration.read')
    requirePermission(at.event.name, at.permissions, 'personal.export')
    const request = { ...toParticipantFilter(filter), limit: 500 }
    const ctx = { ...at.reading, cursorScope: buildListCursorScope(at.session.userId, `export of ${at.event.id}`, {}) }
    // The first page is read before the response starts, so that invalid filters produce an error page instead of half a file.
    const first = await findParticipants(ctx, request)
    const { _csrf: _proof, ...asked } = filter
    await runEventChange(web, at, 'export_participants', async (changing) => {
      recordChange(changing, { kind: 'event', id: at.event.id, after: { exported: asked } })
    })
    async function* lines() {
      yield formatCsvLine(CSV_HEADER)
      for (let page = first; ; page = await findParticipants(ctx, { ...request, cursor: page.nextCursor! })) {
        yield page.participants.map(lineOf).join('')
        if (page.nextCursor === null) return
      }
    }
    return streamCsvDownload(c, `participants-${at.event.code}`, lines())
  })
}
