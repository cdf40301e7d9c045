import { startProfileBuild } from '../../../../domains/audiences/building/start-build.ts'
import { findLatestProfileBuildOptions } from '../../../../domains/audiences/freshness.ts'
import { readAudiencePage } from '../../../../domains/audiences/read-profiles.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import { SegmentedBar, formatInteger } from '../../components/figures.tsx'
import { Button, Form } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState, DescriptionList, Notice, DataTable } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type WebContext, type WebServices } from '../../web.ts'
import { runEventChange, CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, requirePermission, sendConsolePage } from '../frame.tsx'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { getNavigationPosition } from '../navigation.ts'

const PATH = `${CONSOLE_EVENT_PATH}/audience`

type Audience = Awaited<ReturnType<typeof readAudiencePage>>
type Profile = Audience['profiles'][number]
type ShownTrait = Profile['traits'][number]

const MAX_TRAITS = 6
const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const orDash = (value: number | string | null) => value ?? <span class="muted">–</span>

/**
 * A bar for the share of an audience profile's people who have a trait, such as a job title. The darker mark is the share among all
 * participants.
 */
const TraitBar = ({ share, overall }: ShownTrait) => (
  <SegmentedBar
    parts={[
      { size: Math.min(share, overall), tone: 1 },
      { size: Math.max(0, share - overall), tone: 2 },
    ]}
    whole={100}
  />
)

const ProfileCard = ({ profile, population }: { profile: Profile; population: number }) => {
  const { code, name, size, share, traits, behaviour, products, rule } = profile
  const { averageNet, showRate, nps, leadsPerHead, medianLeadDays } = behaviour
  return (
    <Card title={name} id={code}>
      <div class="stack">
        <p class="big-number">
          <strong>{formatInteger(size)}</strong>
          <span>{`${share}% of ${formatInteger(population)} participants${rule === undefined ? '' : ' · fixed by a rule'}`}</span>
        </p>
        <SegmentedBar parts={[{ size, tone: 1 }]} whole={population} />
        {traits.length > 0 ? (
          <DataTable
            caption={`What is typical of ${name}`}
            rows={traits.slice(0, MAX_TRAITS)}
            columns={[
              { label: 'Typical', lead: true, cell: ({ label }) => <bdi>{capitalize(label)}</bdi> },
              { label: 'Compared', cell: (trait) => <TraitBar {...trait} /> },
              { label: 'Here', number: true, cell: ({ share: here }) => `${here}%` },
              { label: 'Everyone', number: true, cell: ({ overall }) => `${overall}%` },
            ]}
          />
        ) : null}
        <DescriptionList
          rows={[
            ['Average net', averageNet ? formatAmountWithCurrency(averageNet) : orDash(null)],
            ['Show rate', orDash(showRate === null ? null : `${showRate}%`)],
            ['NPS', orDash(nps)],
            ['Leads per person', orDash(leadsPerHead)],
            ['Median days from registration to start', orDash(medianLeadDays)],
            [
              'Products',
              products.length === 0 ? orDash(null) : products.map(({ code: product, share: part }) => `${product} ${part}%`).join(' · '),
            ],
          ]}
        />
      </div>
    </Card>
  )
}

/**
 * A notice that the latest calculation of the audience profiles is running or has failed. Until one succeeds, the page shows the earlier
 * profiles.
 */
const BuildNotice = ({ state }: { state: NonNullable<Audience['state']> }) => {
  if (state.status === 'queued' || state.status === 'running') {
    const { done, total } = state.progress ?? { done: 0, total: null }
    return (
      <Notice>{`The profiles are being calculated${total === null ? '' : ` (step ${done} of ${total})`}. Reload the page to see the result.`}</Notice>
    )
  }
  if (state.status === 'failed') return <Notice tone="danger">{`The latest calculation failed. ${state.error ?? ''}`}</Notice>
  return null
}

const StaleNotice = ({ build }: { build: NonNullable<Audience['build']> }) =>
  build.stale ? (
    <Notice tone="warning">{`These profiles are out of date: ${formatInteger(build.unassigned)} participants have no profile yet.`}</Notice>
  ) : null

async function sendAudiencePage(web: WebServices, c: WebContext, at: EventPageContext, formErrors?: FormErrors) {
  requirePermission(at.event.name, at.permissions, 'registration.read')
  const { build, state, profiles } = await readAudiencePage(at.reading)
  const mayRebuild = at.permissions.has('reports.write') && at.event.status !== 'archived'
  const isActive = state?.status === 'queued' || state?.status === 'running'
  const rebuild =
    mayRebuild && !isActive ? (
      <Form action={`${at.base}/audience`} csrf={getCsrfToken(web, c)} class="actions">
        <Button tone={build ? undefined : 'primary'}>{build ? 'Recalculate profiles' : 'Calculate profiles'}</Button>
      </Form>
    ) : null
  const page = renderContentPage(
    {
      title: `Audience of ${at.event.name}`,
      heading: 'Audience',
      text: build
        ? `${formatInteger(build.population)} participants in ${formatInteger(profiles.length)} groups of similar people, as of ${formatInstantWithTimeZone('en-GB', new Date(build.asOf), at.event.timezone)}.`
        : 'Groups of similar participants.',
      crumbs: [{ href: at.base, label: at.event.name }],
      formErrors,
    },
    <div class="stack">
      {state ? <BuildNotice state={state} /> : null}
      {build ? <StaleNotice build={build} /> : null}
      {(build?.warnings ?? []).map((warning) => (
        <Notice tone="warning">{warning}</Notice>
      ))}
      {build || isActive ? null : (
        <EmptyState title="No profiles yet" ask={`Which groups of participants does ${at.event.name} have?`}>
          <p>Profiles group participants by what they have in common: when they registered, what they spent, where they come from.</p>
          {rebuild}
        </EmptyState>
      )}
      {build ? profiles.map((profile) => <ProfileCard profile={profile} population={build.population} />) : null}
      {build ? rebuild : null}
    </div>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'audience'), page)
}

/** `…/audience`: the audience profiles of an event, and the button that recalculates them with the same options as last time. */
export function audiencePages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c) => sendAudiencePage(web, c, await getEventPageContext(web, c, 'reports.read')))
    .post(PATH, async (c) => {
      await requireConsoleForm(web, c)
      const at = await getEventPageContext(web, c, 'reports.write')
      const failed = await catchFormErrors(
        () =>
          runEventChange(
            web,
            at,
            'rebuild_audience_profiles',
            async (ctx) => void (await startProfileBuild(ctx, await findLatestProfileBuildOptions(ctx))),
          ),
        () => '',
      )
      return failed ? sendAudiencePage(web, c, at, failed) : c.redirect(`${at.base}/audience`, 303)
    })
}
