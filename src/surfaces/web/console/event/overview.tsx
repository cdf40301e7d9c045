import { listEventPeople } from '../../../../domains/access/event-people.ts'
import { listAuditEntries } from '../../../../domains/audit/log.ts'
import { describeEntries } from '../../../../domains/audit/describe.ts'
import { listSetupTasks } from '../../../../domains/authoring/setup/tasks.ts'
import { describeDifferences } from '../../../../domains/configuration/compare.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import { listVersions } from '../../../../domains/configuration/versions.ts'
import { listFlowAvailability } from '../../../../domains/registration/flows/flow-openings.ts'
import { getRegistrationSummary } from '../../../../domains/registration/summary/summary.ts'
import { buildEventPagePaths } from '../../../../domains/tenancy/public-pages.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import { LinkButton } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { StatusLabel, Card, Notice } from '../../components/parts.tsx'
import type { WebServices } from '../../web.ts'
import { buildListPath } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { getEventPageContext, type EventPageContext, CONSOLE_EVENT_PATH } from './event-page.ts'
import { ChangeList, formatChangeCount } from './changes.tsx'
import { KeyFigures } from './figures.tsx'
import { FlowsCard } from './flows.tsx'
import { EventHeading } from './heading.tsx'
import { OpenFlowsCard, SetupCard } from './readiness.tsx'
import { createProductNameLookup, SalesCard } from './products.tsx'
import { RecentChangesCard, StaffCard, ConfigVersionsCard } from './record.tsx'
import { TestDataSwitch, includesTestData } from './test-data.tsx'

const MAX_SHOWN_CHANGES = 6

const MAX_RECENT_CHANGES = 6

async function recentChanges(ctx: EventPageContext['reading']) {
  const { items } = await listAuditEntries(ctx, { clientCode: ctx.client.code, eventCode: ctx.event.code, limit: MAX_RECENT_CHANGES })
  return describeEntries(ctx, items)
}

/** Reads the data of the overview page. Each part needs the permission of the tool that returns the same data. */
async function readOverview({ reading: ctx, permissions, event }: EventPageContext, test: boolean) {
  const draft = await readDraftConfiguration(ctx)
  const live = await readLiveConfiguration(ctx, draft)
  const [designs, registers, audits] = (['events.read', 'registration.read', 'clients.read'] as const).map((one) => permissions.has(one))
  const [setup, differences, versions, people, openings, summary, recent] = await Promise.all([
    designs && event.status !== 'archived' ? listSetupTasks(ctx) : null,
    designs ? describeDifferences(ctx, { from: 'live', to: 'draft', most: MAX_SHOWN_CHANGES }) : null,
    designs ? listVersions(ctx, { limit: 4 }) : null,
    designs ? listEventPeople(ctx, { limit: 6 }) : null,
    live ? listFlowAvailability(ctx, live.config, draft.facts.now) : null,
    registers ? getRegistrationSummary(ctx, { includeTestData: test }) : null,
    audits ? recentChanges(ctx) : null,
  ])
  return { draft, live, setup, differences, versions, people, openings, summary, recent }
}

type Overview = Awaited<ReturnType<typeof readOverview>>

const DraftCard = ({
  at,
  differences,
  isLive,
  isReady,
}: {
  at: EventPageContext
  differences: NonNullable<Overview['differences']>
  isLive: boolean
  /** Whether nothing prevents publishing. */
  isReady: boolean
}) => {
  const { changes, total } = differences
  if (total === 0 && isLive)
    return (
      <Card title="Draft">
        <p class="muted">There are no unpublished changes. Changes by you or your assistant appear here first.</p>
      </Card>
    )
  if (total === 0)
    return (
      <Card title="Not live yet" foot={<LinkButton href={`${at.base}/draft`}>Open draft</LinkButton>}>
        <p class="muted">The draft is empty. Begin with the setup tasks.</p>
      </Card>
    )
  const mayPublish = isReady && at.permissions.has('events.publish')
  return (
    <Card
      title={isLive ? 'Unpublished changes' : 'Not live yet'}
      actions={<StatusLabel tone="accent">{formatChangeCount(total)}</StatusLabel>}
      foot={
        <div class="row">
          <LinkButton href={`${at.base}/draft`} tone={mayPublish && !isLive ? 'primary' : undefined}>
            {mayPublish ? 'Review and publish' : 'Review draft'}
          </LinkButton>
          <span class="muted">Visitors do not see these changes until you publish them.</span>
        </div>
      }
    >
      <ChangeList changes={changes} currency={at.event.currency} />
      {total > changes.length ? <p class="muted lead-out">{`and ${total - changes.length} more`}</p> : null}
    </Card>
  )
}

/** Minimum number of open setup tasks that make the column with the task list longer than the other column of the page. */
const MANY_TASKS = 3

/** `/console/events/<client>/<event>`: the overview of an event. */
export function eventOverviewPages(web: WebServices) {
  return createConsoleRouter(web).get(CONSOLE_EVENT_PATH, async (c) => {
    const at = await getEventPageContext(web, c)
    const test = includesTestData(c)
    const read = await readOverview(at, test)
    const { draft, live, setup, differences, versions, people, openings, summary, recent } = read
    const { facts } = draft
    const shown = (live ?? draft).config
    const publicPage = live && facts.status === 'published' ? buildEventPagePaths(at.reading).home : null
    const head = (
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
          <LinkButton href={`${at.base}/draft`} tone="primary">{`Review ${formatChangeCount(differences.total)}`}</LinkButton>
        ) : null}
      </EventHeading>
    )
    // Until the first publication the setup tasks come first, because visitors cannot register yet.
    const figures = summary ? (
      <>
        <div class="figures-head">
          <TestDataSwitch test={test} here={at.base} />
        </div>
        <KeyFigures
          summary={summary}
          today={toDayInZone(facts.timezone, facts.now)}
          places={shown.details.capacity}
          timezone={facts.timezone}
          people={(status) => buildListPath(`${at.base}/participants`, { status, test: test ? 'yes' : undefined })}
        />
      </>
    ) : null
    const hasLongSetup = (setup?.tasks ?? []).filter(({ state, blocks }) => state === 'todo' && blocks !== 'nothing').length >= MANY_TASKS
    const sales = summary ? (
      <SalesCard summary={summary} named={createProductNameLookup(draft.config, live?.config ?? null)} base={at.base} />
    ) : null
    const changes = recent ? <RecentChangesCard at={at} entries={recent} /> : null
    const shorterColumn = (
      <>
        {sales}
        {live ? null : changes}
      </>
    )
    const page = renderContentPage(
      { title: at.event.name, head },
      <>
        {facts.testMode && facts.status !== 'archived' ? (
          <Notice tone="warning">Test mode is on. New registrations are test data and do not use capacity.</Notice>
        ) : null}
        {live ? figures : null}
        <div class="grid halves">
          <div class="grid">
            <OpenFlowsCard openings={openings} moment={facts} archived={facts.status === 'archived'} />
            {setup ? (
              <SetupCard setup={setup} event={at.event} config={draft.config} openings={facts.status === 'archived' ? null : openings} />
            ) : null}
            {hasLongSetup ? null : shorterColumn}
          </div>
          <div class="grid">
            {differences ? (
              <DraftCard at={at} differences={differences} isLive={live !== null} isReady={setup?.readyToPublish ?? false} />
            ) : null}
            {versions ? <ConfigVersionsCard at={at} versions={versions.versions} /> : null}
            {people ? <StaffCard at={at} people={people} /> : null}
            {hasLongSetup ? shorterColumn : null}
          </div>
        </div>
        {live ? null : figures}
        {differences ? <FlowsCard draft={draft} live={live} base={at.base} byFlow={summary?.byFlow ?? null} /> : null}
        {live ? changes : null}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at), page)
  })
}
