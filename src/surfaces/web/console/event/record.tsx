import type { auditEvent } from '../../../../domains/authoring/audit.ts'
import type { listEventPeople } from '../../../../domains/access/event-people.ts'
import type { listVersions } from '../../../../domains/configuration/versions.ts'
import { Card, Status, Time } from '../../components/parts.tsx'
import { addressOf } from '../filters.ts'
import type { AtEvent } from './at-event.ts'
import { deedInWords } from './deeds.ts'

const initials = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()

const Avatar = ({ name }: { name: string }) => (
  <span class="avatar small" aria-hidden="true">
    {initials(name)}
  </span>
)

type Entry = Awaited<ReturnType<typeof auditEvent>>['entries'][number]

/** Who did what of late: a sentence each, and on demand which values became which. */
export const RecentChanges = ({ at, entries }: { at: AtEvent; entries: readonly Entry[] }) => (
  <Card
    title="Recent changes"
    actions={<a href={addressOf('/console/audit', { client: at.client.code, event: at.event.code })}>Audit log</a>}
  >
    {entries.length === 0 ? <p class="muted">Nothing was changed yet.</p> : null}
    <ol class="log">
      {entries.map((entry) => (
        <li>
          <Avatar name={entry.who} />
          <div>
            <p>
              <b dir="auto">{entry.who}</b> {deedInWords(entry.tool)}
              {entry.target.label && entry.target.id !== at.event.id ? (
                <>
                  {' '}
                  <bdi>{entry.target.label}</bdi>
                </>
              ) : null}{' '}
              <span class="muted">{entry.app === 'console' ? 'in the console' : `through ${entry.app}`}</span>
            </p>
            <Values entry={entry} />
          </div>
          <Time at={new Date(entry.at)} />
        </li>
      ))}
    </ol>
  </Card>
)

const MOST_VALUES = 8
const MOST_TEXT = 120

const cut = (text: string) => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT).toWellFormed()}…` : text)

const Values = ({ entry: { changes } }: { entry: Entry }) =>
  changes.length === 0 ? null : (
    <details class="more">
      <summary>{changes.length === 1 ? '1 value' : `${changes.length} values`}</summary>
      <dl class="diff">
        {changes.slice(0, MOST_VALUES).map(({ path, before, after }) => (
          <>
            <dt>{cut(path)}</dt>
            <dd>
              {before === undefined ? null : <del dir="auto">{cut(before)}</del>} <span class="hidden">became</span>{' '}
              {after === undefined ? null : <ins dir="auto">{cut(after)}</ins>}
            </dd>
          </>
        ))}
      </dl>
      {changes.length > MOST_VALUES ? <p class="muted">{`and ${changes.length - MOST_VALUES} more in the audit log`}</p> : null}
    </details>
  )

type People = Awaited<ReturnType<typeof listEventPeople>>

export const StaffCard = ({ at, people }: { at: AtEvent; people: People }) => {
  const more = (people.total ?? people.totalAtLeast ?? 0) - people.items.length
  const manages = at.permissions.has('clients.read') && at.client.roles.length > 0
  return (
    <Card title="Staff" actions={manages ? <a href={`/console/clients/${at.client.code}/users`}>Manage</a> : null}>
      <ul class="people-list">
        {people.items.map(({ name, role, active }) => (
          <li>
            <Avatar name={name} />
            <span dir="auto">{name}</span>
            <span class="v">{active ? role : `${role}, not active`}</span>
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="muted lead-out">{`and ${more} more`}</p> : null}
    </Card>
  )
}

type Versions = Awaited<ReturnType<typeof listVersions>>

export const VersionsCard = ({ at, versions }: { at: AtEvent; versions: Versions['versions'] }) => (
  <Card title="Versions" actions={versions.length > 0 ? <a href={`${at.base}/versions`}>All</a> : null}>
    {versions.length === 0 ? <p class="muted">Nothing was published yet.</p> : null}
    <ul class="people-list">
      {versions.map((version) => (
        <li>
          <Status {...(version.live ? { tone: 'success' as const } : {})}>{version.number}</Status>
          <span>
            <Time at={new Date(version.publishedAt)} />, <bdi>{version.publishedBy}</bdi>
          </span>
          <span class="v">
            {version.live ? (
              'live'
            ) : (
              <a href={`${at.base}/versions/${version.number}`}>
                what changed<span class="hidden"> in version {version.number}</span>
              </a>
            )}
          </span>
        </li>
      ))}
    </ul>
  </Card>
)
