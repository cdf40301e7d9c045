import { findAuditEntry, listAuditEntries } from '../../../../domains/audit/log.ts'
import { eventsToChoose, type LogPlace, placeOf } from '../../../../domains/audit/place.ts'
import { tellEntries, type ToldEntry } from '../../../../domains/audit/tell.ts'
import { databaseTime } from '../../../../kernel/database-time.ts'
import { AppError, notFound } from '../../../../kernel/errors.ts'
import { Button, ErrorSummary, type Errors, Form } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card, Empty } from '../../components/parts.tsx'
import { csrfFor, type Web, type WebContext } from '../../web.ts'
import { addressOf, type Filter, filterOf, scopeOf } from '../filters.ts'
import { consolePages, contextOf, frame } from '../frame.tsx'
import { byDay, type Day } from './days.ts'
import { Entry } from './entry.tsx'
import { asked, type AuditQuery, Chips, FILTERS, Search } from './filters.tsx'
import { AUDIT_PATH, demandRecords, RecordTabs } from './records.tsx'

const PER_PAGE = 20

/** Whose days they are is said once, on top. */
const zoneInWords = ({ zone, of }: Pick<LogPlace, 'zone' | 'of'>) =>
  `Days and times are in ${zone}${of === null ? '' : `, the zone of ${of}`}.`

const DayOf = ({ day, index, ...shown }: { day: Day<ToldEntry>; index: number; zone: string; filter: Filter; severalClients: boolean }) => (
  <section aria-labelledby={`day-${index}`}>
    <h2 class="day" id={`day-${index}`}>
      {day.near} <span>{day.date}</span>
    </h2>
    <ol class="log">
      {day.entries.map((entry) => (
        <Entry entry={entry} {...shown} />
      ))}
    </ol>
  </section>
)

const Nothing = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <Empty title="No change fits">
      <p>Nothing was changed that fits all of these filters. Take one off above, or choose more days.</p>
    </Empty>
  ) : (
    <Empty title="Nothing was changed yet">
      <p>Whatever you, a colleague or an assistant changes stands here from then on, with who it was and what it was before.</p>
    </Empty>
  )

const Around = ({ newer, older }: { newer: string | null; older: string | null }) =>
  newer || older ? (
    <nav class="pagination" aria-label="Pages">
      {newer ? (
        <a class="button small" rel="prev" href={newer}>
          Newer
        </a>
      ) : (
        <span />
      )}
      {older ? (
        <a class="button small" rel="next" href={older}>
          Older
        </a>
      ) : null}
    </nav>
  ) : null

/** `/console/audit`: who did what to which record, through which app, when; and on demand from what to what. */
export function auditPages(web: Web) {
  async function one(c: WebContext, id: string) {
    const session = c.get('session')
    const ctx = contextOf(web, session, web.road.database.read)
    const found = await findAuditEntry(ctx, id)
    if (!found) throw notFound('No such change in the parts of the log that you may read.')
    const [entry] = await tellEntries(ctx, [found])
    const place = await placeOf(ctx, { clientCode: found.client?.code, eventCode: found.event?.code })
    const [day] = byDay([entry!], { zone: place.zone, now: await databaseTime(ctx) })
    return frame(
      web,
      c,
      { title: 'One change', current: AUDIT_PATH },
      <>
        <Heading title="One change" text={zoneInWords(place)} crumbs={[{ href: AUDIT_PATH, label: 'Audit log' }]} />
        <Card pad={false}>
          <div class="days">
            <h2 class="day">{day!.date}</h2>
            <ol class="log">
              <Entry entry={entry!} zone={place.zone} filter={{}} severalClients={session.access.clients.length > 1} whole />
            </ol>
          </div>
        </Card>
      </>,
    )
  }

  async function list(c: WebContext) {
    const session = c.get('session')
    const filter: AuditQuery = filterOf(c, FILTERS)
    const cursor = c.req.query('cursor') || undefined
    const ctx = { ...contextOf(web, session, web.road.database.read), cursorScope: scopeOf(session.userId, 'audit', filter) }
    const place = await placeOf(ctx, { clientCode: filter.client, eventCode: filter.event })
    const read = async () => ({
      ...(await listAuditEntries(ctx, { ...asked(filter, place.zone), limit: PER_PAGE, cursor })),
      errors: undefined as Errors | undefined,
    })
    const { items, nextCursor, previousCursor, errors } = await read().catch((error: unknown) => {
      if (error instanceof AppError && error.details.fields)
        return { items: [], nextCursor: null, previousCursor: null, errors: error.details.fields }
      throw error
    })
    const entries = await tellEntries(ctx, items)
    const [now, events] = await Promise.all([databaseTime(ctx), eventsToChoose(ctx)])
    const severalClients = session.access.clients.length > 1
    const to = (next: string | null) => (next ? addressOf(AUDIT_PATH, filter, next) : null)
    return frame(
      web,
      c,
      { title: 'Audit log', current: AUDIT_PATH, status: errors ? 400 : 200 },
      <>
        <Heading
          title="Audit log"
          text={`Who did what, to which record, through which app. Nothing here can be removed. ${zoneInWords(place)}`}
        >
          {entries.length > 0 ? (
            <Form action={`${AUDIT_PATH}/export`} csrf={csrfFor(web, c)}>
              {Object.entries(filter).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}
              <Button>Download CSV</Button>
            </Form>
          ) : null}
        </Heading>
        <RecordTabs current="audit" />
        <ErrorSummary errors={errors} />
        <Card pad={false}>
          <Search
            filter={filter}
            choices={{
              clients: session.access.clients.map(({ code, name }) => ({ value: code, label: name })),
              events,
              apps: [...new Set(['console', 'job', ...entries.map(({ actor }) => actor.app)])],
            }}
            errors={errors}
          />
          <Chips filter={filter} by={entries[0]?.actor.name ?? null} />
          <div class="days">
            {byDay(entries, { zone: place.zone, now }).map((day, index) => (
              <DayOf day={day} index={index} zone={place.zone} filter={filter} severalClients={severalClients} />
            ))}
          </div>
          {entries.length === 0 ? <Nothing filtered={Object.values(filter).some(Boolean)} /> : null}
          <Around newer={to(previousCursor)} older={to(nextCursor)} />
        </Card>
      </>,
    )
  }

  return consolePages(web).get(AUDIT_PATH, (c) => {
    demandRecords(c.get('session').access)
    const { entry } = filterOf(c, ['entry'])
    return entry ? one(c, entry) : list(c)
  })
}
