import { isChangeable } from '../../../domains/checkout/held-progress.ts'
import type { Progress } from '../../../domains/checkout/progress.ts'
import type { FlowPage } from '../../../domains/configuration/schema/event-config.ts'
import type { Widget } from '../../../domains/configuration/schema/widgets.ts'
import { refusalOfEdits } from '../../../domains/registration/own-editing.ts'
import { formatMoment } from '../../../kernel/language/format.ts'
import { ErrorSummary, Form, LinkButton } from '../components/forms.tsx'
import { Card, Facts } from '../components/parts.tsx'
import { RichText } from '../event/home.tsx'
import type { Place } from '../event/place.ts'
import { answersOn, titleOf } from '../register/answers.tsx'
import { Blocks, shownOn } from '../register/page-form.tsx'
import { takesFile } from '../register/uploads-on.ts'
import { pageSegment, type View } from '../register/view.ts'
import type { Own } from './own.tsx'

/** What belongs to the whole registration, or has a page of its own, is changed elsewhere or by the organizer. */
const LEFT_OUT: ReadonlySet<Widget['type']> = new Set([
  'membershipLookup',
  'inviteCode',
  'group',
  'boothRequest',
  'sharing',
  'discountCode',
  'orderSummary',
  'payment',
  'answersReview',
])

/** Somebody can be brought along, and something given, as long as anything can be changed. */
const ALWAYS: ReadonlySet<Widget['type']> = new Set(['donation', 'guests'])

/** Why nothing can be changed here, to the person; null while it can. */
export function closedInWords({ place, row }: Own, progress: Progress | null): string | null {
  const { say, locale } = place.words
  if (row.status === 'cancelled') return say('edit.cancelled')
  if (row.status !== 'complete') return say('edit.unfinished')
  if (!progress) return say('edit.noForm')
  const { flow, scene } = progress
  if (refusalOfEdits(row, flow, { now: scene.at }) === null) return null
  return say('edit.over', { moment: formatMoment(locale, new Date(flow.editUntil ?? scene.at), place.facts.timezone) })
}

/** Pages with something on them that their person may change. */
export const editablePages = (progress: Progress): readonly string[] =>
  progress.pages
    .filter(({ widgets }) =>
      widgets.some(
        ({ visible, type, bindings }) =>
          visible && !LEFT_OUT.has(type) && (ALWAYS.has(type) || bindings.some((binding) => isChangeable(progress, binding))),
      ),
    )
    .map(({ code }) => code)

export const editPath = ({ paths }: Place, code?: string) =>
  code === undefined ? `${paths.myRegistration}/edit` : `${paths.myRegistration}/edit/${pageSegment(code)}`

/** What they chose there and hold. */
function heldOn({ progress, config }: View, code: string): [string, string][] {
  const bindings = progress.pages.find((page) => page.code === code)?.widgets.flatMap((widget) => (widget.visible ? widget.bindings : []))
  const names = new Map(config.products.map((product) => [`@product.${product.code}`, product]))
  return [...new Set(bindings)].flatMap((binding) => {
    const product = names.get(binding)
    const count = Number(progress.answers[binding] ?? 0)
    return product && product.category !== 'donation' && count > 0 ? [[product.name, `× ${count}`]] : []
  })
}

/** Every page of the flow with what it holds, and the way to change it. */
export function EditIndex({ view }: { view: View }) {
  const { place, progress } = view
  const { say, locale } = place.words
  const codes = editablePages(progress)
  const { editUntil } = progress.flow
  return (
    <div class="checkout-main">
      <h1>{say('edit.title')}</h1>
      <p class="lead">
        {codes.length === 0 ? say('edit.nothing') : say('edit.lead')}{' '}
        {editUntil === null ? null : say('edit.until', { moment: formatMoment(locale, new Date(editUntil), place.facts.timezone) })}
      </p>
      {progress.pages
        .filter(({ code }) => codes.includes(code))
        .map((page) => (
          <Card
            title={titleOf(view, page.code)}
            actions={
              <a href={editPath(place, page.code)}>
                {say('edit.change')}
                <span class="hidden"> {titleOf(view, page.code)}</span>
              </a>
            }
          >
            <Facts
              rows={[...answersOn(view, page).map(({ label, text }): [string, string] => [label, text]), ...heldOn(view, page.code)]}
            />
          </Card>
        ))}
    </div>
  )
}

/** One page of the flow, filled in. */
export function EditForm({ view, page, csrf, message }: { view: View; page: FlowPage; csrf: string; message?: string | undefined }) {
  const { place, errors } = view
  const { say } = place.words
  const widgets = shownOn(view, page).filter(({ type }) => !LEFT_OUT.has(type))
  return (
    <div class="checkout-main">
      <h1>{page.title ?? view.flow.name}</h1>
      {page.description ? <RichText html={page.description} /> : null}
      <ErrorSummary message={message ?? (errors.length > 0 ? say('wrong.summary') : undefined)} errors={errors} />
      <Form
        action={editPath(place, page.code)}
        csrf={csrf}
        class="checkout-main"
        id="page"
        files={widgets.some((widget) => takesFile(view, widget))}
      >
        {/* Whoever presses the enter key saves, whatever other buttons come first. */}
        <button type="submit" class="hidden" name="do" value="save" tabindex={-1} aria-hidden="true">
          {say('edit.save')}
        </button>
        <Blocks view={view} page={page} widgets={widgets} />
        <div class="actions">
          <button type="submit" class="button primary" name="do" value="save">
            {say('edit.save')}
          </button>
          <LinkButton href={editPath(place)} tone="quiet">
            {say('edit.keep')}
          </LinkButton>
        </div>
      </Form>
    </div>
  )
}
