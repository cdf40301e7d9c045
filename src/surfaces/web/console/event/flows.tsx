import type { Configuration } from '../../../../domains/configuration/read.ts'
import type { EventConfig, Flow } from '../../../../domains/configuration/schema/event-config.ts'
import { pictureOf, type PicturedPage } from '../../../../domains/registration/flow-picture.ts'
import { counted } from '../../../../domains/configuration/labels.ts'
import { numberInWords } from '../../components/figures.tsx'
import { Card } from '../../components/parts.tsx'
import type { Summary } from './figures.tsx'

/** Beyond this many only the first are drawn open, and of the others the first pages: a page stays readable. */
const MOST_PAGES = 120

interface Props {
  draft: Configuration
  live: Configuration | null
  /** The event's pages. */
  base: string
  byFlow: Summary['byFlow'] | null
}

/** The ways to register as they are in the draft, drawn; what is not live yet is dashed. */
export const FlowsCard = ({ draft, live, base, byFlow }: Props) => {
  const flows = draft.config.flows.filter(({ retired }) => !retired)
  const known = new Map(live?.config.flows.map((flow) => [flow.slug, new Set(flow.pages.map(({ code }) => code))]))
  let room = MOST_PAGES
  return (
    <Card title="Flows" actions={live ? <span class="muted">dashed: only in the draft</span> : null}>
      {flows.length === 0 ? <p class="muted">There is no way to register yet.</p> : null}
      {flows.map((flow, at) => {
        const shown = flow.pages.slice(0, Math.max(0, room))
        room -= shown.length
        return (
          <details class="fold" open={at === 0}>
            <summary>
              <span dir="auto">{flow.name}</span>
              <span class="v">{factsOf(flow, byFlow)}</span>
            </summary>
            <FlowPicture config={draft.config} flow={{ ...flow, pages: shown }} live={live ? (known.get(flow.slug) ?? new Set()) : null} />
            {shown.length < flow.pages.length ? (
              <p class="muted">{`and ${counted(flow.pages.length - shown.length, 'page')} more`}</p>
            ) : null}
            {byFlow ? (
              <p class="fold-foot">
                <a href={`${base}/flows/${flow.slug}`}>
                  Where people stop<span class="hidden"> in {flow.name}</span>
                </a>
              </p>
            ) : null}
          </details>
        )
      })}
    </Card>
  )
}

function factsOf(flow: Flow, byFlow: Summary['byFlow'] | null): string {
  const people = byFlow?.find(({ flowSlug }) => flowSlug === flow.slug)
  return [
    counted(flow.pages.length, 'page'),
    ...(flow.kind === 'attendee' ? [] : [`for ${flow.kind === 'staff' ? 'staff' : `${flow.kind}s`}`]),
    ...(flow.inviteOnly ? ['by invitation'] : []),
    ...(people && people.complete > 0 ? [`${numberInWords(people.complete)} registered`] : []),
    ...(people && people.incomplete > 0 ? [`${numberInWords(people.incomplete)} under way`] : []),
  ].join(' · ')
}

const FlowPicture = ({ config, flow, live }: { config: EventConfig; flow: Flow; live: ReadonlySet<string> | null }) => (
  <ol class="flow" aria-label={`Pages of ${flow.name} in order`}>
    {pictureOf(config, flow).map(({ when, pages }) =>
      when === null ? (
        pages.map((page) => (
          <li>
            <PageBox page={page} isNew={live !== null && !live.has(page.code)} />
          </li>
        ))
      ) : (
        <li>
          <ul class="flow-branch" aria-label="Then one of">
            <li>
              <span class="flow-if" dir="auto">
                {when}
              </span>
              {pages.map((page) => (
                <PageBox page={page} isNew={live !== null && !live.has(page.code)} />
              ))}
            </li>
            <li>
              <span class="flow-if">everyone else goes on</span>
            </li>
          </ul>
        </li>
      ),
    )}
  </ol>
)

const PageBox = ({ page, isNew }: { page: PicturedPage; isNew: boolean }) => (
  <div class={['flow-page', isNew && 'new', page.ends && 'end'].filter(Boolean).join(' ')}>
    <b dir="auto">{page.title}</b>
    {isNew ? <small>new in the draft</small> : null}
    {page.holds ? <small>{page.holds}</small> : null}
  </div>
)
