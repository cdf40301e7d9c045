import type { Configuration } from '../../../../domains/configuration/read.ts'
import type { EventConfig, Flow } from '../../../../domains/configuration/schema/event-config.ts'
import { buildFlowDiagram, type DiagramPage } from '../../../../domains/registration/flows/flow-diagram.ts'
import { formatCount } from '../../../../domains/configuration/labels.ts'
import { formatInteger } from '../../components/figures.tsx'
import { Card } from '../../components/parts.tsx'
import type { RegistrationSummary } from './figures.tsx'

/** Maximum number of form pages drawn in total. Flows beyond it are cut off, so that the page stays readable. */
const MAX_DRAWN_PAGES = 120

interface Props {
  draft: Configuration
  live: Configuration | null
  /** Path of the event's console pages. */
  base: string
  byFlow: RegistrationSummary['byFlow'] | null
}

/** Diagrams of the registration flows in the event's draft. Pages of a flow that are not published yet have a dashed border. */
export const FlowsCard = ({ draft, live, base, byFlow }: Props) => {
  const flows = draft.config.flows.filter(({ retired }) => !retired)
  const known = new Map(live?.config.flows.map((flow) => [flow.slug, new Set(flow.pages.map(({ code }) => code))]))
  let remaining = MAX_DRAWN_PAGES
  return (
    <Card title="Flows" actions={live ? <span class="muted">dashed: only in the draft</span> : null}>
      {flows.length === 0 ? <p class="muted">No registration flows yet.</p> : null}
      {flows.map((flow, at) => {
        const shown = flow.pages.slice(0, Math.max(0, remaining))
        remaining -= shown.length
        return (
          <details class="fold" open={at === 0}>
            <summary>
              <span dir="auto">{flow.name}</span>
              <span class="v">{factsOf(flow, byFlow)}</span>
            </summary>
            <FlowPicture config={draft.config} flow={{ ...flow, pages: shown }} live={live ? (known.get(flow.slug) ?? new Set()) : null} />
            {shown.length < flow.pages.length ? (
              <p class="muted">{`and ${formatCount(flow.pages.length - shown.length, 'page')} more`}</p>
            ) : null}
            {byFlow ? (
              <p class="fold-foot">
                <a href={`${base}/flows/${flow.slug}`}>
                  Drop-off by page<span class="hidden"> in {flow.name}</span>
                </a>
              </p>
            ) : null}
          </details>
        )
      })}
    </Card>
  )
}

function factsOf(flow: Flow, byFlow: RegistrationSummary['byFlow'] | null): string {
  const people = byFlow?.find(({ flowSlug }) => flowSlug === flow.slug)
  return [
    formatCount(flow.pages.length, 'page'),
    ...(flow.kind === 'attendee' ? [] : [`for ${flow.kind === 'staff' ? 'staff' : `${flow.kind}s`}`]),
    ...(flow.inviteOnly ? ['by invitation'] : []),
    ...(people && people.complete > 0 ? [`${formatInteger(people.complete)} registered`] : []),
    ...(people && people.incomplete > 0 ? [`${formatInteger(people.incomplete)} in progress`] : []),
  ].join(' · ')
}

const FlowPicture = ({ config, flow, live }: { config: EventConfig; flow: Flow; live: ReadonlySet<string> | null }) => (
  <ol class="flow" aria-label={`Pages of ${flow.name} in order`}>
    {buildFlowDiagram(config, flow).map(({ when, pages }) =>
      when === null ? (
        pages.map((page) => (
          <li>
            <PageBox page={page} isNew={live !== null && !live.has(page.code)} />
          </li>
        ))
      ) : (
        <li>
          <ul class="flow-branch" aria-label="One of these branches">
            <li>
              <span class="flow-if" dir="auto">
                {when}
              </span>
              {pages.map((page) => (
                <PageBox page={page} isNew={live !== null && !live.has(page.code)} />
              ))}
            </li>
            <li>
              <span class="flow-if">everyone else continues</span>
            </li>
          </ul>
        </li>
      ),
    )}
  </ol>
)

const PageBox = ({ page, isNew }: { page: DiagramPage; isNew: boolean }) => (
  <div class={['flow-page', isNew && 'new', page.isFinal && 'end'].filter(Boolean).join(' ')}>
    <b dir="auto">{page.title}</b>
    {isNew ? <small>new in the draft</small> : null}
    {page.summary ? <small>{page.summary}</small> : null}
  </div>
)
