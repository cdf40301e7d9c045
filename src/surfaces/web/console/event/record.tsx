import type { ToldEntry } from '../../../../domains/audit/tell.ts'
import type { listEventPeople } from '../../../../domains/access/event-people.ts'
import type { listVersions } from '../../../../domains/configuration/versions.ts'
import { Avatar, Card, Status, Time } from '../../components/parts.tsx'
import { Details, pageOf } from '../audit/entry.tsx'
import { throughApp, Words } from '../audit/told.tsx'
import { addressOf } from '../filters.ts'
import type { AtEvent } from './at-event.ts'

/** Who did what of late: a sentence each, and on demand which values became which. */
export const RecentChanges = ({ at, entries }: { at: AtEvent; entries: readonly ToldEntry[] }) => (
  <Card
    title="Recent changes"
    actions={<a href={addressOf('/console/audit', { client: at.client.code, event: at.event.code })}>Audit log</a>}
  >
    {entries.length === 0 ? <p class="muted">Nothing was changed yet.</p> : null}
    <ol class="log">
      {entries.map((entry) => (
        <li>
          <Avatar name={entry.actor.name} />
          <div>
            <p class="what">
              <b dir="auto">{entry.actor.name}</b> <Words sentence={entry.sentence} to={(record) => pageOf(entry, record)} />{' '}
              <span class="muted">{throughApp(entry.actor.app)}</span>
            </p>
            <Details entry={entry} />
          </div>
          <Time at={entry.at} />
        </li>
      ))}
    </ol>
  </Card>
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
