import { listConditionQuestionNames } from '../../../kernel/conditions.ts'
import type { FlowPage } from '../../../domains/configuration/schema/event-config.ts'
import type { Widget } from '../../../domains/configuration/schema/widgets.ts'
import { Form } from '../components/forms.tsx'
import { Notice } from '../components/parts.tsx'
import { RichText } from '../event/home.tsx'
import { OrderSummaryAside } from './order.tsx'
import { NextStepBar, RegistrationStepHeader, ReservationHoldNotice } from './steps.tsx'
import { isFileUploadWidget } from './upload-fields.ts'
import { toPagePathSegment, type RegistrationPageView } from './view.ts'
import { WidgetView } from './widgets.tsx'

interface Props {
  view: RegistrationPageView
  page: FlowPage
  csrf: string
  heldUntil: Date | null
  /** The error message at the top of the page. */
  message?: string | undefined
  notices: readonly string[]
}

/** One page of a flow as a form. */
export function FlowPageForm({ view, page, csrf, heldUntil, message, notices }: Props) {
  const { site, progress, quote } = view
  const { say } = site.words
  const base = site.paths.register(progress.flow.slug)
  const here = `${base}/${toPagePathSegment(page.code)}`
  const widgets = listVisibleWidgets(view, page)
  const sells = widgets.some(({ type }) => type === 'products' || type === 'donation' || type === 'discountCode')
  const codes = progress.pages.map(({ code }) => code)
  const before = codes[codes.indexOf(page.code) - 1]
  const summary = widgets.find(({ type }) => type === 'orderSummary')
  const withOrder = quote.lines.length > 0 || progress.room !== null || sells
  return (
    <div class={withOrder ? 'checkout two' : 'checkout narrow'}>
      <RegistrationStepHeader view={view} current={page.code} title={page.title ?? view.flow.name} message={message}>
        {page.description ? <RichText html={page.description} /> : null}
      </RegistrationStepHeader>
      {notices.map((notice) => (
        <Notice>{notice}</Notice>
      ))}
      <ReservationHoldNotice view={view} until={heldUntil} action={here} csrf={csrf} />
      <Form action={here} csrf={csrf} class="checkout-main" id="page" files={widgets.some((widget) => isFileUploadWidget(view, widget))}>
        {/* The first submit button handles the Enter key, so it must be "next" even if other buttons come first. */}
        <button type="submit" class="hidden" name="do" value="next" tabindex={-1} aria-hidden="true">
          {say('register.next')}
        </button>
        <FlowPageWidgets view={view} page={page} widgets={widgets} />
      </Form>
      {withOrder ? <OrderSummaryAside view={view} update={sells} /> : null}
      {/* On phones this bar with the total is fixed to the bottom. It comes after the order summary, so that it covers nothing. */}
      <NextStepBar
        view={view}
        back={before === undefined ? null : `${base}/${toPagePathSegment(before)}`}
        total={withOrder}
        order={summary ? `w-${summary.id}` : 'order'}
      >
        <button type="submit" form="page" class="button primary large" name="do" value="next">
          {page.nextLabel ?? say('register.next')}
        </button>
      </NextStepBar>
    </div>
  )
}

/** The widgets of a page, with an update button for browsers without scripts if answers control other widgets. */
export const FlowPageWidgets = ({ view, page, widgets }: { view: RegistrationPageView; page: FlowPage; widgets: readonly Widget[] }) => (
  <>
    {groupIntoCards(widgets).map((block) => (
      <WidgetCard view={view} widgets={block} />
    ))}
    {hasDependentWidgets(page) ? (
      <div class="no-script">
        <button type="submit" class="button" name="do" value="update">
          {view.site.words.say('register.update')}
        </button>
      </div>
    ) : null}
  </>
)

/** The widgets of a page that this participant sees. */
export const listVisibleWidgets = ({ progress }: Pick<RegistrationPageView, 'progress'>, page: FlowPage): Widget[] => {
  const visible = new Set(
    progress.walk.pages
      .find(({ code }) => code === page.code)
      ?.widgets.filter((one) => one.visible)
      .map(({ id }) => id),
  )
  return page.widgets.filter(({ id }) => visible.has(id))
}

/** Whether answers on this page control the visibility of other widgets on it. */
function hasDependentWidgets(page: FlowPage): boolean {
  const bindingsOnPage = new Set(page.widgets.flatMap((widget) => (widget.type === 'field' ? [widget.binding] : [])))
  return page.widgets.some(({ showWhen }) => listConditionQuestionNames(showWhen).some((binding) => bindingsOnPage.has(binding)))
}

const STANDALONE_TYPES: ReadonlySet<Widget['type']> = new Set([
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
const UNFRAMED_TYPES: ReadonlySet<Widget['type']> = new Set([
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

/** Groups widgets into cards: a heading with the widgets after it, consecutive questions, and standalone choices. */
function groupIntoCards(widgets: readonly Widget[]): Widget[][] {
  const blocks: Widget[][] = []
  let open: Widget[] | null = null
  for (const widget of widgets) {
    const begins = widget.type === 'heading' || (STANDALONE_TYPES.has(widget.type) && !(open?.length === 1 && open[0]!.type === 'heading'))
    if (open === null || begins) {
      open = [widget]
      blocks.push(open)
    } else open.push(widget)
    if (STANDALONE_TYPES.has(widget.type)) open = null
  }
  return blocks
}

function WidgetCard({ view, widgets }: { view: RegistrationPageView; widgets: readonly Widget[] }) {
  const [first] = widgets
  const drawn = widgets
    // A heading before a list of products becomes the legend of the product fields, so it is not shown as a widget of its own.
    .filter((widget, at) => !(widget.type === 'heading' && widgets[at + 1]?.type === 'products'))
    .map((widget) => <WidgetView view={view} widget={widget} />)
  if (widgets.every(({ type }) => UNFRAMED_TYPES.has(type))) return <>{drawn}</>
  return (
    <section class="card" id={`block-${first!.id}`}>
      <div class="card-body">
        <div class="fields">{drawn}</div>
      </div>
    </section>
  )
}
