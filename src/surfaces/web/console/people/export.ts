import { findParticipants } from '../../../../domains/registration/find-participants.ts'
import { csvLine } from '../../../../domains/sheets/csv.ts'
import { recordChange } from '../../../../kernel/audit.ts'
import { csvDownload } from '../csv-download.ts'
import { demandAt, consolePages, formOf } from '../frame.tsx'
import { atEvent, changeAtEvent, EVENT_PATH } from '../event/at-event.ts'
import { scopeOf } from '../filters.ts'
import type { Web } from '../../web.ts'
import { type Found, peopleFilter } from './list.tsx'

const HEAD = ['Name', 'Email', 'Company', 'Status', 'Number', 'Flow', 'Tags', 'Group', 'Balance', 'Currency', 'Id']

const lineOf = (person: Found) =>
  csvLine([
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

/** `…/participants/export`: the list as it is filtered, as a file. Who took it along is in the audit log. */
export function peopleExport(web: Web) {
  return consolePages(web).post(`${EVENT_PATH}/participants/export`, async (c) => {
    const filter = await formOf(web, c)
    const at = await atEvent(web, c, 'registration.read')
    demandAt(at.event.name, at.permissions, 'personal.export')
    const request = { ...peopleFilter(filter), limit: 500 }
    const ctx = { ...at.reading, cursorScope: scopeOf(at.session.userId, `export of ${at.event.id}`, {}) }
    // The first page is read before anything is sent: what is wrong with the filters is a page, not half a file.
    const first = await findParticipants(ctx, request)
    const { _csrf: _proof, ...asked } = filter
    await changeAtEvent(web, at, 'export_participants', async (changing) => {
      recordChange(changing, { kind: 'event', id: at.event.id, after: { exported: asked } })
    })
    async function* lines() {
      yield csvLine(HEAD)
      for (let page = first; ; page = await findParticipants(ctx, { ...request, cursor: page.nextCursor! })) {
        yield page.participants.map(lineOf).join('')
        if (page.nextCursor === null) return
      }
    }
    return csvDownload(c, `participants-${at.event.code}`, lines())
  })
}
