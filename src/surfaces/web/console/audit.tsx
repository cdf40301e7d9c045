import { type AuditEntry, listAuditEntries } from '../../../domains/access/audit-log.ts'
import { AppError } from '../../../kernel/errors.ts'
import { permissionsAnywhere } from '../../../kernel/permissions.ts'
import { ErrorSummary, errorOf, type Errors, Input, Select } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card, Empty, Pagination, Time } from '../components/parts.tsx'
import type { Web } from '../web.ts'
import { differencesOf } from './differences.ts'
import { addressOf, type Filter, filterOf, pagesAround, scopeOf } from './filters.ts'
import { consolePages, contextOf, frame } from './frame.tsx'

const PATH = '/console/audit'
const FILTERS = ['client', 'event', 'tool', 'person', 'from', 'until'] as const

/** The two records of the service, side by side. */
export const RecordTabs = ({ current }: { current: 'audit' | 'jobs' }) => (
  <nav class="tabs" aria-label="Records">
    <a href={PATH} aria-current={current === 'audit' ? 'page' : undefined}>
      Audit log
    </a>
    <a href="/console/jobs" aria-current={current === 'jobs' ? 'page' : undefined}>
      Jobs
    </a>
  </nav>
)

/** Only those with clients.read somewhere come here; what they see of it is the list's business. */
export function demandRecords(access: Parameters<typeof permissionsAnywhere>[0]): void {
  if (!permissionsAnywhere(access).has('clients.read'))
    throw new AppError(
      'forbidden',
      'This page needs the clients.read permission at one of your clients. A client administrator can give it.',
    )
}

const Value = ({ text, mark }: { text: string | null; mark: 'del' | 'ins' }) =>
  text === null ? <span class="muted">empty</span> : mark === 'del' ? <del>{text}</del> : <ins>{text}</ins>

const Changes = ({ target }: { target: AuditEntry['targets'][number] }) => {
  const differences = differencesOf(target.fields)
  return (
    <div class="stack-s">
      <p>
        {target.kind} <code>{target.id}</code>
      </p>
      {differences.length > 0 ? (
        <dl class="diff">
          {differences.map(({ path, before, after }) => (
            <>
              <dt>{path}</dt>
              <dd>
                <Value text={before} mark="del" /> <span aria-hidden="true">→</span>
                <span class="hidden"> became </span> <Value text={after} mark="ins" />
              </dd>
            </>
          ))}
        </dl>
      ) : null}
    </div>
  )
}

const Entry = ({ entry, filter }: { entry: AuditEntry; filter: Filter }) => (
  <li class="entry">
    <div class="row-between">
      <p>
        <strong>{entry.actor.name}</strong> <a href={addressOf(PATH, { ...filter, tool: entry.tool })}>{entry.tool}</a>{' '}
        <span class="muted">
          through {entry.actor.app}
          {entry.clientCode ? `, at ${entry.clientCode}` : ''}
          {entry.eventCode ? ` / ${entry.eventCode}` : ''}
        </span>
      </p>
      <Time at={entry.at} />
    </div>
    <details open={entry.targets.length <= 2}>
      <summary>{entry.targets.length === 1 ? '1 record' : `${entry.targets.length} records`} changed</summary>
      <div class="stack">
        {entry.targets.map((target) => (
          <Changes target={target} />
        ))}
      </div>
    </details>
  </li>
)

const Search = ({
  filter,
  clients,
  errors,
}: {
  filter: Filter
  clients: { value: string; label: string }[]
  errors?: Errors | undefined
}) => (
  <form method="get" action={PATH} class="card-pad" role="search">
    <div class="fields-3">
      <Select name="client" label="Client" options={[{ value: '', label: 'All of yours' }, ...clients]} value={filter['client']} />
      <Input name="event" label="Event code" value={filter['event']} />
      <Input name="tool" label="Tool or action" value={filter['tool']} />
      <Input name="person" label="Person" value={filter['person']} help="Words of the name or email." />
      <Input name="from" type="date" label="From" value={filter['from']} error={errorOf(errors, 'from')} />
      <Input name="until" type="date" label="Until" value={filter['until']} help="Days are in UTC." error={errorOf(errors, 'until')} />
    </div>
    <div class="actions">
      <button type="submit" class="button">
        Filter
      </button>
      {Object.values(filter).some(Boolean) ? (
        <a class="button quiet" href={PATH}>
          Clear
        </a>
      ) : null}
    </div>
  </form>
)

/** `/console/audit`: who changed what, through which app, from what to what. */
export function auditPages(web: Web) {
  return consolePages(web).get(PATH, async (c) => {
    const session = c.get('session')
    demandRecords(session.access)
    const filter = filterOf(c, FILTERS)
    const cursor = c.req.query('cursor') || undefined
    const ctx = { ...contextOf(web, session, web.road.database.read), cursorScope: scopeOf(session.userId, 'audit', filter) }
    const { client, event, ...rest } = filter
    const read = async () => ({
      ...(await listAuditEntries(ctx, { ...rest, clientCode: client, eventCode: event, limit: 25, cursor })),
      errors: undefined,
    })
    const { items, nextCursor, errors } = await read().catch((error: unknown) => {
      if (error instanceof AppError && error.details.fields) return { items: [], nextCursor: null, errors: error.details.fields }
      throw error
    })
    return frame(
      web,
      c,
      { title: 'Audit log', current: PATH, status: errors ? 400 : 200 },
      <>
        <Heading title="Audit log" text="Every change: who made it, through which app, and what it was before." />
        <RecordTabs current="audit" />
        <ErrorSummary errors={errors} />
        <Card pad={false}>
          <Search
            filter={filter}
            clients={session.access.clients.map(({ code, name }) => ({ value: code, label: name }))}
            errors={errors}
          />
          {items.length > 0 ? (
            <ol class="entries" aria-label="Changes">
              {items.map((entry) => (
                <Entry entry={entry} filter={filter} />
              ))}
            </ol>
          ) : (
            <Empty title="No changes here">
              <p>Nothing matches, or nothing was changed yet.</p>
            </Empty>
          )}
          <Pagination {...pagesAround(PATH, filter, cursor, nextCursor)} />
        </Card>
      </>,
    )
  })
}
