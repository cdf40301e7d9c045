import { bindingsOf } from '../../../kernel/conditions.ts'
import type { FlowPage } from '../../../domains/configuration/schema/event-config.ts'
import type { Widget } from '../../../domains/configuration/schema/widgets.ts'
import { Form } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { RichText } from '../event/home.tsx'
import { Order } from './order.tsx'
import { Bar, Head, Hold } from './steps.tsx'
import { takesFile } from './uploads-on.ts'
import { pageSegment, type View } from './view.ts'
import { Drawn } from './widgets.tsx'

interface Props {
  view: View
  page: FlowPage
  csrf: string
  heldUntil: Date | null
  /** Said above everything. */
  message?: string | undefined
  notices: readonly string[]
}

/** One page of a flow, as a form that goes on. */
export function PageForm({ view, page, csrf, heldUntil, message, notices }: Props) {
  const { place, progress, quote } = view
  const { say } = place.words
  const base = place.paths.register(progress.flow.slug)
  const here = `${base}/${pageSegment(page.code)}`
  const widgets = shownOn(view, page)
  const sells = widgets.some(({ type }) => type === 'products' || type === 'donation' || type === 'discountCode')
  const codes = progress.pages.map(({ code }) => code)
  const before = codes[codes.indexOf(page.code) - 1]
  const withOrder = quote.lines.length > 0 || sells
  return (
    <div class={withOrder ? 'checkout two' : 'checkout narrow'}>
      <Head view={view} current={page.code} title={page.title ?? view.flow.name} message={message}>
        {page.description ? <RichText html={page.description} /> : null}
      </Head>
      {notices.map((notice) => (
        <Notice>{notice}</Notice>
      ))}
      <Hold view={view} until={heldUntil} action={here} csrf={csrf} />
      <Form action={here} csrf={csrf} class="checkout-main" id="page" files={widgets.some((widget) => takesFile(view, widget))}>
        {/* Whoever presses the enter key goes on, whatever other buttons come first. */}
        <button type="submit" class="hidden" name="do" value="next" tabindex={-1} aria-hidden="true">
          {say('register.next')}
        </button>
        <Blocks view={view} page={page} widgets={widgets} />
      </Form>
      {withOrder ? <Order view={view} update={sells} /> : null}
      {/* After the order, so that on a phone nothing lies behind the last button. */}
      <Bar view={view} back={before === undefined ? null : `${base}/${pageSegment(before)}`}>
        <button type="submit" form="page" class="button primary large" name="do" value="next">
          {page.nextLabel ?? say('register.next')}
        </button>
      </Bar>
    </div>
  )
}

/** What a page asks and shows, with the button that asks it again where answers open others. */
export const Blocks = ({ view, page, widgets }: { view: View; page: FlowPage; widgets: readonly Widget[] }) => (
  <>
    {blocksOf(widgets).map((block) => (
      <Block view={view} widgets={block} />
    ))}
    {controls(page) ? (
      <div class="no-script">
        <button type="submit" class="button" name="do" value="update">
          {view.place.words.say('register.update')}
        </button>
      </div>
    ) : null}
  </>
)

/** What of a page somebody is shown. */
export const shownOn = ({ progress }: Pick<View, 'progress'>, page: FlowPage): Widget[] => {
  const visible = new Set(
    progress.walk.pages
      .find(({ code }) => code === page.code)
      ?.widgets.filter((one) => one.visible)
      .map(({ id }) => id),
  )
  return page.widgets.filter(({ id }) => visible.has(id))
}

/** Whether answers of this page decide what else is on it. */
function controls(page: FlowPage): boolean {
  const asked = new Set(page.widgets.flatMap((widget) => (widget.type === 'field' ? [widget.binding] : [])))
  return page.widgets.some(({ showWhen }) => bindingsOf(showWhen).some((binding) => asked.has(binding)))
}

const ALONE: ReadonlySet<Widget['type']> = new Set([
  'products',
  'donation',
  'guests',
  'sharing',
  'payment',
  'membershipLookup',
  'orderSummary',
  'answersReview',
  'housing',
  'boothRequest',
  'sessions',
])
const BARE: ReadonlySet<Widget['type']> = new Set([
  'text',
  'notice',
  'image',
  'video',
  'divider',
  'spacer',
  'map',
  'countdown',
  'accordion',
])

/** What belongs together on one card: a heading with what follows it, what is asked in a row, and what is chosen by itself. */
function blocksOf(widgets: readonly Widget[]): Widget[][] {
  const blocks: Widget[][] = []
  let open: Widget[] | null = null
  for (const widget of widgets) {
    const begins = widget.type === 'heading' || (ALONE.has(widget.type) && !(open?.length === 1 && open[0]!.type === 'heading'))
    if (open === null || begins) {
      open = [widget]
      blocks.push(open)
    } else open.push(widget)
    if (ALONE.has(widget.type)) open = null
  }
  return blocks
}

function Block({ view, widgets }: { view: View; widgets: readonly Widget[] }) {
  const [first] = widgets
  const drawn = widgets
    // The heading of a choice is the legend of its group.
    .filter((widget, at) => !(widget.type === 'heading' && widgets[at + 1]?.type === 'products'))
    .map((widget) => <Drawn view={view} widget={widget} />)
  if (widgets.every(({ type }) => BARE.has(type))) return <>{drawn}</>
  return (
    <section class="card" id={`block-${first!.id}`}>
      <div class="card-body">
        <div class="fields">{drawn}</div>
      </div>
    </section>
  )
}
