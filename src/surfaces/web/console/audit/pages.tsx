import { countAuditEntries, findAuditEntry, listAuditEntries } from '../../../../domains/audit/log.ts'
import { listEventsWithReadableLog, type AuditLogScope, readAuditLogScope } from '../../../../domains/audit/log-scope.ts'
import { describeEntries, type DescribedAuditEntry } from '../../../../domains/audit/describe.ts'
import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import { AppError, notFound } from '../../../../kernel/errors.ts'
import { Button, type FieldErrors, Form } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState } from '../../components/parts.tsx'
import { getCsrfToken, type WebServices, type WebContext } from '../../web.ts'
import { buildListPath, type ListFilterValues, readListQuery, readQueryFilter } from '../filters.ts'
import { createConsoleRouter, createAccountContext, sendConsolePage } from '../frame.tsx'
import { groupChangesByVisitor, groupEntriesByDay, type AuditDay } from './days.ts'
import { AuditEntryItem, VisitorChangesItem } from './entry.tsx'
import { toAuditFilter, AuditActionLinks, FilterChips, AUDIT_FILTERS, AuditSearch } from './filters.tsx'
import { AUDIT_PATH, requireAuditAccess, AuditAndJobTabs } from './records.tsx'

const PER_PAGE = 20

/** Names the time zone of all timestamps on the page, stated once at the top. */
const formatZone = ({ zone, of }: Pick<AuditLogScope, 'zone' | 'of'>) => `Times in ${zone}${of === null ? '' : `, the time zone of ${of}`}.`

const DayOf = ({
  day,
  index,
  ...shown
}: {
  day: AuditDay<DescribedAuditEntry>
  index: number
  zone: string
  filter: ListFilterValues
  severalClients: boolean
}) => (
  <section aria-labelledby={`day-${index}`}>
    <h2 class="day" id={`day-${index}`}>
      {day.near} <span>{day.date}</span>
    </h2>
    <ol class="log">
      {groupChangesByVisitor(day.entries).map((row) =>
        'entry' in row ? (
          <AuditEntryItem entry={row.entry} {...shown} />
        ) : (
          <VisitorChangesItem newest={row.visitor} entries={row.entries} {...shown} />
        ),
      )}
    </ol>
  </section>
)

const NoEntries = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <EmptyState title="No changes found">
      <p>Remove a filter or choose a longer period.</p>
    </EmptyState>
  ) : (
    <EmptyState title="No changes yet">
      <p>All changes by you, your colleagues and assistants appear here, with the previous values.</p>
    </EmptyState>
  )

const NewerOlderLinks = ({ newer, older }: { newer: string | null; older: string | null }) =>
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

/** `/console/audit`: the audit log. */
export function auditPages(web: WebServices) {
  async function one(c: WebContext, id: string) {
    const session = c.get('session')
    const ctx = createAccountContext(web, session, web.services.database.read)
    const found = await findAuditEntry(ctx, id)
    if (!found) throw notFound('This change does not exist, or you have no access to it.')
    const [entry] = await describeEntries(ctx, [found])
    const place = await readAuditLogScope(ctx, { clientCode: found.client?.code, eventCode: found.event?.code })
    const [day] = groupEntriesByDay([entry!], { zone: place.zone, now: await getDatabaseTime(ctx) })
    const page = renderContentPage(
      { title: 'Change', text: formatZone(place), crumbs: [{ href: AUDIT_PATH, label: 'Audit log' }] },
      <Card pad={false}>
        <div class="days">
          <h2 class="day">{day!.date}</h2>
          <ol class="log">
            <AuditEntryItem entry={entry!} zone={place.zone} filter={{}} severalClients={session.access.clients.length > 1} whole />
          </ol>
        </div>
      </Card>,
    )
    return sendConsolePage(web, c, { current: AUDIT_PATH }, page)
  }

  async function list(c: WebContext) {
    const session = c.get('session')
    const { filter, cursor, cursorScope } = readListQuery(c, 'audit', AUDIT_FILTERS)
    const ctx = { ...createAccountContext(web, session, web.services.database.read), cursorScope }
    const place = await readAuditLogScope(ctx, { clientCode: filter.client, eventCode: filter.event })
    const read = async () => ({
      ...(await listAuditEntries(ctx, { ...toAuditFilter(filter, place.zone), limit: PER_PAGE, cursor })),
      counts: await countAuditEntries(ctx, toAuditFilter({ ...filter, via: undefined, group: undefined }, place.zone)),
      errors: undefined as FieldErrors | undefined,
    })
    const { items, nextCursor, previousCursor, counts, errors } = await read().catch((error: unknown) => {
      if (error instanceof AppError && error.details.fields)
        return { items: [], nextCursor: null, previousCursor: null, counts: null, errors: error.details.fields }
      throw error
    })
    const entries = await describeEntries(ctx, items)
    const [now, events] = await Promise.all([getDatabaseTime(ctx), listEventsWithReadableLog(ctx)])
    const severalClients = session.access.clients.length > 1
    const to = (next: string | null) => (next ? buildListPath(AUDIT_PATH, filter, next) : null)
    const page = renderContentPage(
      {
        title: 'Audit log',
        text: `Who did what, through which app. Nothing can be removed. ${formatZone(place)}`,
        actions:
          entries.length > 0 ? (
            <Form action={`${AUDIT_PATH}/export`} csrf={getCsrfToken(web, c)}>
              {Object.entries(filter).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}
              <Button>Download CSV</Button>
            </Form>
          ) : null,
        formErrors: errors && { errors },
      },
      <>
        <AuditAndJobTabs current="audit" />
        <Card pad={false}>
          <AuditSearch
            filter={filter}
            choices={{
              clients: session.access.clients.map(({ code, name }) => ({ value: code, label: name })),
              events,
              apps: counts?.apps ?? [],
            }}
            errors={errors}
          />
          {counts && counts.all > 0 ? <AuditActionLinks filter={filter} counts={counts} /> : null}
          <FilterChips filter={filter} by={entries[0]?.actor.name ?? null} />
          <div class="days">
            {groupEntriesByDay(entries, { zone: place.zone, now }).map((day, index) => (
              <DayOf day={day} index={index} zone={place.zone} filter={filter} severalClients={severalClients} />
            ))}
          </div>
          {entries.length === 0 ? <NoEntries filtered={Object.values(filter).some(Boolean)} /> : null}
          <NewerOlderLinks newer={to(previousCursor)} older={to(nextCursor)} />
        </Card>
      </>,
    )
    return sendConsolePage(web, c, { current: AUDIT_PATH }, page)
  }

  return createConsoleRouter(web).get(AUDIT_PATH, (c) => {
    requireAuditAccess(c.get('session').access)
    const { entry } = readQueryFilter(c, ['entry'])
    return entry ? one(c, entry) : list(c)
  })
}
