import type { DescribedAuditEntry } from '../../../../domains/audit/describe.ts'
import type { listEventPeople } from '../../../../domains/access/event-people.ts'
import type { listVersions } from '../../../../domains/configuration/versions.ts'
import { Avatar, Card, StatusDot, TimestampText } from '../../components/parts.tsx'
import { EntryDetails, findRecordPath } from '../audit/entry.tsx'
import { describeOriginApp, AuditSentenceText } from '../audit/sentence.tsx'
import { buildListPath } from '../filters.ts'
import type { EventPageContext } from './event-page.ts'

/** The latest audit entries: a sentence each, with the changed values collapsed. */
export const RecentChangesCard = ({ at, entries }: { at: EventPageContext; entries: readonly DescribedAuditEntry[] }) => (
  <Card
    title="Recent changes"
    actions={<a href={buildListPath('/console/audit', { client: at.client.code, event: at.event.code })}>Audit log</a>}
  >
    {entries.length === 0 ? <p class="muted">No changes yet.</p> : null}
    <ol class="log">
      {entries.map((entry) => (
        <li>
          <Avatar name={entry.actor.name} />
          <div>
            <p class="what">
              <b dir="auto">{entry.actor.name}</b>{' '}
              <AuditSentenceText sentence={entry.sentence} to={(record) => findRecordPath(entry, record)} />{' '}
              <span class="muted">{describeOriginApp(entry.actor.app)}</span>
            </p>
            <EntryDetails entry={entry} />
          </div>
          <TimestampText at={entry.at} />
        </li>
      ))}
    </ol>
  </Card>
)

type People = Awaited<ReturnType<typeof listEventPeople>>

export const StaffCard = ({ at, people }: { at: EventPageContext; people: People }) => {
  const more = (people.total ?? people.totalAtLeast ?? 0) - people.items.length
  const manages = at.permissions.has('clients.read') && at.client.roles.length > 0
  return (
    <Card title="Staff" actions={manages ? <a href={`/console/clients/${at.client.code}/users`}>Manage</a> : null}>
      <ul class="people-list">
        {people.items.map(({ name, role, active }) => (
          <li>
            <Avatar name={name} />
            <span dir="auto">{name}</span>
            <span class="v">{active ? role : `${role}, cannot sign in`}</span>
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="muted lead-out">{`and ${more} more`}</p> : null}
    </Card>
  )
}

type Versions = Awaited<ReturnType<typeof listVersions>>

export const ConfigVersionsCard = ({ at, versions }: { at: EventPageContext; versions: Versions['versions'] }) => (
  <Card title="Versions" actions={versions.length > 0 ? <a href={`${at.base}/versions`}>All</a> : null}>
    {versions.length === 0 ? <p class="muted">Nothing published yet.</p> : null}
    <ul class="people-list">
      {versions.map((version) => (
        <li>
          <StatusDot {...(version.live ? { tone: 'success' as const } : {})}>{version.number}</StatusDot>
          <span>
            <TimestampText at={new Date(version.publishedAt)} />, <bdi>{version.publishedBy}</bdi>
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
