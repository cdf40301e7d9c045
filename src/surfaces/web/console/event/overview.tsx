import { listEventPeople } from '../../../../domains/access/event-people.ts'
import { listAuditEntries } from '../../../../domains/audit/log.ts'
import { tellEntries } from '../../../../domains/audit/tell.ts'
import { setupTasks } from '../../../../domains/authoring/setup/tasks.ts'
import { tellDifferences } from '../../../../domains/configuration/compare.ts'
import { readDraft, readLive } from '../../../../domains/configuration/read.ts'
import { listVersions } from '../../../../domains/configuration/versions.ts'
import { flowOpenings } from '../../../../domains/registration/openings.ts'
import { getRegistrationSummary } from '../../../../domains/registration/summary.ts'
import { eventPaths } from '../../../../domains/tenancy/public-pages.ts'
import { dayIn } from '../../../../kernel/time.ts'
import { LinkButton } from '../../components/forms.tsx'
import { Badge, Card, Notice } from '../../components/parts.tsx'
import type { Web } from '../../web.ts'
import { addressOf } from '../filters.ts'
import { consolePages, frame } from '../frame.tsx'
import { atEvent, type AtEvent, EVENT_PATH } from './at-event.ts'
import { Changes, changesInWords } from './changes.tsx'
import { Figures } from './figures.tsx'
import { FlowsCard } from './flows.tsx'
import { EventHeading } from './heading.tsx'
import { OpenNow, SetUp } from './needs.tsx'
import { namedIn, SoldCard } from './products.tsx'
import { RecentChanges, StaffCard, VersionsCard } from './record.tsx'
import { TestDataSwitch, withTestData } from './test-data.tsx'

const MOST_CHANGES = 6

const MOST_RECENT = 6

async function recentChanges(ctx: AtEvent['reading']) {
  const { items } = await listAuditEntries(ctx, { clientCode: ctx.client.code, eventCode: ctx.event.code, limit: MOST_RECENT })
  return tellEntries(ctx, items)
}

/** Everything the page tells, each part for those who may call the tool that tells the same. */
async function readOverview({ reading: ctx, permissions, event }: AtEvent, test: boolean) {
  const draft = await readDraft(ctx)
  const live = await readLive(ctx, draft)
  const [designs, registers, audits] = (['events.read', 'registration.read', 'clients.read'] as const).map((one) => permissions.has(one))
  const [setup, differences, versions, people, openings, summary, recent] = await Promise.all([
    designs && event.status !== 'archived' ? setupTasks(ctx) : null,
    designs ? tellDifferences(ctx, { from: 'live', to: 'draft', most: MOST_CHANGES }) : null,
    designs ? listVersions(ctx, { limit: 4 }) : null,
    designs ? listEventPeople(ctx, { limit: 6 }) : null,
    live ? flowOpenings(ctx, live.config, draft.facts.now) : null,
    registers ? getRegistrationSummary(ctx, { includeTestData: test }) : null,
    audits ? recentChanges(ctx) : null,
  ])
  return { draft, live, setup, differences, versions, people, openings, summary, recent }
}

type Overview = Awaited<ReturnType<typeof readOverview>>

const DraftCard = ({ at, differences, isLive }: { at: AtEvent; differences: NonNullable<Overview['differences']>; isLive: boolean }) => {
  const { changes, total } = differences
  if (total === 0 && isLive)
    return (
      <Card title="Draft">
        <p class="muted">The draft is what is live. What you or your assistant change is seen here first.</p>
      </Card>
    )
  return (
    <Card
      title={isLive ? 'The draft differs from what is live' : 'Nothing is live yet'}
      actions={<Badge tone="accent">{changesInWords(total)}</Badge>}
      foot={
        <div class="row">
          <LinkButton href={`${at.base}/draft`} tone="primary">
            {at.permissions.has('events.publish') ? 'Review and publish' : 'See all changes'}
          </LinkButton>
          <span class="muted">Visitors see none of it until it is published.</span>
        </div>
      }
    >
      {total === 0 ? <p class="muted">The draft is empty.</p> : <Changes changes={changes} />}
      {total > changes.length ? <p class="muted lead-out">{`and ${total - changes.length} more`}</p> : null}
    </Card>
  )
}

/** `/console/events/<client>/<event>`: how the event stands, what needs somebody, and everything about it that can be looked at. */
export function eventOverviewPages(web: Web) {
  return consolePages(web).get(EVENT_PATH, async (c) => {
    const at = await atEvent(web, c)
    const test = withTestData(c)
    const read = await readOverview(at, test)
    const { draft, live, setup, differences, versions, people, openings, summary, recent } = read
    const { facts } = draft
    const shown = (live ?? draft).config
    const publicPage = live && facts.status === 'published' ? eventPaths(at.reading).home : null
    return frame(
      web,
      c,
      { title: at.event.name, current: at.base, client: at.client, event: at },
      <>
        <EventHeading
          event={at.event}
          client={at.client}
          facts={facts}
          venue={shown.details.venue}
          versionsAt={at.permissions.has('events.read') ? `${at.base}/versions` : null}
          live={versions?.versions.find((version) => version.live) ?? null}
        >
          {publicPage ? <LinkButton href={publicPage}>Public page</LinkButton> : null}
          {differences && differences.total > 0 && live ? (
            <LinkButton href={`${at.base}/draft`} tone="primary">{`Review ${changesInWords(differences.total)}`}</LinkButton>
          ) : null}
        </EventHeading>
        {facts.testMode && facts.status !== 'archived' ? (
          <Notice tone="warning">Test mode is on: whoever registers now is test data and takes no place.</Notice>
        ) : null}
        {summary ? (
          <>
            <div class="figures-head">
              <TestDataSwitch test={test} here={at.base} />
            </div>
            <Figures
              summary={summary}
              today={dayIn(facts.timezone, facts.now)}
              places={shown.details.capacity}
              timezone={facts.timezone}
              people={(status) => addressOf(`${at.base}/participants`, { status, test: test ? 'yes' : undefined })}
            />
          </>
        ) : null}
        <div class="grid halves">
          <div class="grid">
            <OpenNow openings={openings} moment={facts} archived={facts.status === 'archived'} />
            {setup ? <SetUp setup={setup} event={at.event} /> : null}
          </div>
          <div class="grid">
            {differences ? <DraftCard at={at} differences={differences} isLive={live !== null} /> : null}
            {versions ? <VersionsCard at={at} versions={versions.versions} /> : null}
            {people ? <StaffCard at={at} people={people} /> : null}
          </div>
        </div>
        {differences ? <FlowsCard draft={draft} live={live} base={at.base} byFlow={summary?.byFlow ?? null} /> : null}
        <div class="grid halves">
          {summary ? <SoldCard summary={summary} named={namedIn(draft.config, live?.config ?? null)} base={at.base} /> : null}
          {recent ? <RecentChanges at={at} entries={recent} /> : null}
        </div>
      </>,
    )
  })
}
