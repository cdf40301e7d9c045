import type { Difference } from '../../../../domains/audit/differences.ts'
import { nounOf } from '../../../../domains/audit/kinds.ts'
import { listAuditEntries } from '../../../../domains/audit/log.ts'
import { placeOf } from '../../../../domains/audit/place.ts'
import type { Sentence } from '../../../../domains/audit/sentence.ts'
import { tellEntries, type ToldEntry } from '../../../../domains/audit/tell.ts'
import { csvLine } from '../../../../domains/sheets/csv.ts'
import { recordChange } from '../../../../kernel/audit.ts'
import type { Web } from '../../web.ts'
import { csvDownload } from '../csv-download.ts'
import { filterIn, scopeOf } from '../filters.ts'
import { changeAt, changeOwn, consolePages, contextOf, formOf } from '../frame.tsx'
import { asked, type AuditQuery, FILTERS } from './filters.tsx'
import { AUDIT_PATH, demandRecords } from './records.tsx'

const AT_ONCE = 500
const HEAD = ['Time (UTC)', 'Who', 'Through', 'What', 'Client', 'Event', 'Changes', 'Action', 'Id']

/** Whoever is called by such a record is a person. */
const PEOPLE: ReadonlySet<string> = new Set(['participant', 'groupInvite', 'speaker'])

const written = (sentence: Sentence, named: boolean) =>
  sentence.map((part) => (typeof part === 'string' ? part : named || !PEOPLE.has(part.kind) ? part.name : nounOf(part.kind))).join('')

function changeInWords({ label, before, after, runs }: Difference): string {
  const sides = runs
    ? (['removed', 'added'] as const).map((side) => runs.map(({ kind, text }) => (kind === 'same' || kind === side ? text : '')).join(''))
    : [before ?? 'empty', after ?? 'empty']
  return `${label}: ${sides.join(' → ')}`
}

/** Names and values of people leave with those who may take them along; for others the line says what was changed, and not whose or to what. */
function lineOf(entry: ToldEntry): string {
  const { at, actor, sentence, client, event, records, tool, id } = entry
  const named = entry.permissions.has('personal.export') || client === null
  const changes = records.flatMap(({ differences }) => differences.map((one) => (named ? changeInWords(one) : one.label)))
  return csvLine([
    at.toISOString(),
    named || actor.kind !== 'participant' ? actor.name : 'a participant',
    actor.app,
    written(sentence, named),
    client?.name ?? '',
    event?.name ?? '',
    changes.join('; '),
    tool,
    id,
  ])
}

/** `/console/audit/export`: the log as it is filtered, as a file. Who took it along is in the log itself. */
export function auditExport(web: Web) {
  return consolePages(web).post(`${AUDIT_PATH}/export`, async (c) => {
    const form = await formOf(web, c)
    const session = c.get('session')
    demandRecords(session.access)
    const filter: AuditQuery = filterIn(form, FILTERS)
    const ctx = { ...contextOf(web, session, web.road.database.read), cursorScope: scopeOf(session.userId, 'export of the log', filter) }
    const { client, eventId, zone } = await placeOf(ctx, { clientCode: filter.client, eventCode: filter.event })
    const request = { ...asked(filter, zone), limit: AT_ONCE }
    // The first page is read before anything is sent: what is wrong with the filters is a page, not half a file.
    const first = await listAuditEntries(ctx, request)
    const exported = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
    if (client && (filter.client || filter.event))
      await changeAt(web, session, { client, action: 'export_audit_log', eventId }, async (changing) => {
        recordChange(changing, { kind: 'client', id: client.id, after: { exported } })
      })
    else
      await changeOwn(web, session, 'export_audit_log', async (changing) => {
        recordChange(changing, { kind: 'user', id: session.userId, after: { exported } })
      })
    async function* lines() {
      yield csvLine(HEAD)
      for (let page = first; ; page = await listAuditEntries(ctx, { ...request, cursor: page.nextCursor! })) {
        yield (await tellEntries(ctx, page.items)).map(lineOf).join('')
        if (page.nextCursor === null) return
      }
    }
    return csvDownload(c, 'audit-log', lines())
  })
}
