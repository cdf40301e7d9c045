import { isAnswerChangeable } from '../../../domains/checkout/completed-progress.ts'
import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import type { FlowPage } from '../../../domains/configuration/schema/event-config.ts'
import type { Widget } from '../../../domains/configuration/schema/widgets.ts'
import { findEditRefusalReason } from '../../../domains/registration/own/own-editing.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { Form, LinkButton } from '../components/forms.tsx'
import { Card, DescriptionList } from '../components/parts.tsx'
import { MainColumn, toFormErrors } from '../event/event-layout.tsx'
import { RichText } from '../event/home.tsx'
import type { EventSite } from '../event/event-site.ts'
import { listPageAnswers, getFlowPageTitle } from '../register/answers.tsx'
import { listErrorsWithFieldTitles } from '../register/named-errors.ts'
import { FlowPageWidgets, listVisibleWidgets } from '../register/page-form.tsx'
import { isFileUploadWidget } from '../register/upload-fields.ts'
import { toPagePathSegment, type RegistrationPageView } from '../register/view.ts'
import type { OwnRegistrationAccess } from './own-access.tsx'

/**
 * Widgets that are not shown when a participant edits a page: they belong to the whole registration, have a page of their own, or can
 * only be changed by the organizer.
 */
const EXCLUDED_TYPES: ReadonlySet<Widget['type']> = new Set([
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

/** Widgets that participants can always edit while registrations may be changed: they can still add guests and donate more. */
const ALWAYS_EDITABLE_TYPES: ReadonlySet<Widget['type']> = new Set(['donation', 'guests'])

const PRICED_TYPES: ReadonlySet<Widget['type']> = new Set(['products', 'donation', 'guests'])

/** Returns why the registration cannot be changed; null if it can. */
export function findEditClosedReason({ site, row }: OwnRegistrationAccess, progress: RegistrationProgress | null): string | null {
  const { say, locale } = site.words
  if (row.status === 'cancelled') return say('edit.cancelled')
  if (row.status !== 'complete') return say('edit.unfinished')
  if (!progress) return say('edit.noForm')
  const { flow, snapshot } = progress
  if (findEditRefusalReason(row, flow, { now: snapshot.at }) === null) return null
  return say('edit.closed', { moment: formatInstantWithTimeZone(locale, new Date(flow.editUntil ?? snapshot.at), site.facts.timezone) })
}

/** Codes of the pages with at least one answer that the participant can change. */
export const listEditablePages = (progress: RegistrationProgress): readonly string[] =>
  progress.pages
    .filter(({ widgets }) =>
      widgets.some(
        ({ visible, type, bindings }) =>
          visible &&
          !EXCLUDED_TYPES.has(type) &&
          (ALWAYS_EDITABLE_TYPES.has(type) || bindings.some((binding) => isAnswerChangeable(progress, binding))),
      ),
    )
    .map(({ code }) => code)

export const buildEditPath = ({ paths }: EventSite, code?: string) =>
  code === undefined ? `${paths.myRegistration}/edit` : `${paths.myRegistration}/edit/${toPagePathSegment(code)}`

/** The saved answers of a page of the registration form, or a note that it has none (for example, that no conference session is chosen). */
function PageAnswers({ view, page }: { view: RegistrationPageView; page: RegistrationPageView['progress']['pages'][number] }) {
  const answers = listPageAnswers(view, page)
  if (answers.length === 0) return <p class="muted">{view.site.words.say('register.orderEmpty')}</p>
  return <DescriptionList rows={answers.map(({ label, text }) => [label, text])} />
}

/** The list of all editable pages with their answers and a link to change them. */
export function EditablePageList({ view }: { view: RegistrationPageView }) {
  const { site, progress } = view
  const { say, locale } = site.words
  const codes = listEditablePages(progress)
  const { editUntil } = progress.flow
  const lead = [
    say(codes.length === 0 ? 'edit.nothing' : 'edit.lead'),
    ...(editUntil === null
      ? []
      : [say('edit.until', { moment: formatInstantWithTimeZone(locale, new Date(editUntil), site.facts.timezone) })]),
  ]
  return (
    <MainColumn title={say('edit.title')} text={lead.join(' ')}>
      {progress.pages
        .filter(({ code }) => codes.includes(code))
        .map((page) => (
          <Card
            title={getFlowPageTitle(view, page.code)}
            actions={
              <a href={buildEditPath(site, page.code)}>
                {say('edit.change')}
                <span class="hidden"> {getFlowPageTitle(view, page.code)}</span>
              </a>
            }
          >
            <PageAnswers view={view} page={page} />
          </Card>
        ))}
    </MainColumn>
  )
}

/** The form of one flow page, filled in with the saved answers. */
export function RegistrationEditForm({
  view,
  page,
  csrf,
  message,
}: {
  view: RegistrationPageView
  page: FlowPage
  csrf: string
  message?: string | undefined
}) {
  const { site } = view
  const { say } = site.words
  const widgets = listVisibleWidgets(view, page).filter(({ type }) => !EXCLUDED_TYPES.has(type))
  return (
    <MainColumn title={page.title ?? view.flow.name} formErrors={toFormErrors(site, listErrorsWithFieldTitles(view), message)}>
      {page.description ? <RichText html={page.description} /> : null}
      <Form
        action={buildEditPath(site, page.code)}
        csrf={csrf}
        class="checkout-main"
        id="page"
        files={widgets.some((widget) => isFileUploadWidget(view, widget))}
      >
        {/* The first submit button handles the Enter key, so it must be "save" even if other buttons come first. */}
        <button type="submit" class="hidden" name="do" value="save" tabindex={-1} aria-hidden="true">
          {say('edit.save')}
        </button>
        <FlowPageWidgets view={view} page={page} widgets={widgets} />
        {widgets.some(({ type }) => PRICED_TYPES.has(type)) ? <p class="muted">{say('edit.priceFirst')}</p> : null}
        <div class="actions">
          <button type="submit" class="button primary" name="do" value="save">
            {say('edit.save')}
          </button>
          <LinkButton href={buildEditPath(site)} tone="quiet">
            {say('edit.discard')}
          </LinkButton>
        </div>
      </Form>
    </MainColumn>
  )
}
