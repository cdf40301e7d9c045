import { computeOfferCost } from '../../../domains/bids/cost.ts'
import { formatDates } from '../../../domains/rfps/describe-needs.ts'
import { findOfferDraft, type OfferDraft } from '../../../domains/rfps/portal.ts'
import { listFileNames } from '../../../domains/files/files.ts'
import { formatCurrencySymbol, formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { ErrorSummary, Form } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { BackLink } from '../event/event-layout.tsx'
import { getCsrfToken, type WebContext, type WebServices } from '../web.ts'
import { OfferFieldInput, RoomRateTable } from './offer-inputs.tsx'
import {
  buildOfferForm,
  OFFER_SECTIONS,
  type OfferField,
  type SupplierOfferForm,
  type OfferSection,
  listOfferFields,
} from './offer-fields.ts'
import { OfferSummary } from './offer-summary.tsx'
import { type OfferFormValues, parseOfferForm, toOfferFormValues } from './offer-values.ts'
import { findCurrentResponse, formatMinorUnits, readRfpView, type RfpView } from './rfp.ts'
import { showSupplierPage, type SupplierPageContext } from './site.tsx'

/** The offer for one date option, as shown to the supplier. */
export interface OfferView extends RfpView {
  dateOption: number
  form: SupplierOfferForm
  values: OfferFormValues
  errors: readonly FieldError[]
  draft: OfferDraft | null
  /** Names of the files of the draft offer, by file id. */
  files: ReadonlyMap<string, { name: string }>
}

/** Reads the date option from the request's path; the preferred dates if the path has none. */
export const readDateOption = (c: WebContext, { rfp }: RfpView): number => {
  const wanted = Number(c.req.query('dates') ?? '0')
  return Number.isInteger(wanted) && rfp.date_options[wanted] !== undefined ? wanted : 0
}

export async function readOfferView(at: SupplierPageContext, c: WebContext): Promise<OfferView> {
  const view = await readRfpView(at)
  const dateOption = readDateOption(c, view)
  const form = buildOfferForm(view.rfp, dateOption, at.site.words)
  const draft = findOfferDraft(view.recipient, dateOption)
  const current = findCurrentResponse(view, dateOption)
  const values = draft?.values ?? (current ? toOfferFormValues(form, current.content, view.rfp) : {})
  return { ...view, dateOption, form, values, errors: [], draft, files: await listFileNames(at.reading, draft?.files ?? []) }
}

const SECTION_HEADING_KEYS = {
  rooms: 'bid.rooms',
  food: 'bid.food',
  include: 'bid.include',
  questions: 'bid.questions',
  terms: 'bid.terms',
} as const

export const listOfferSections = ({ form }: OfferView): OfferSection[] =>
  OFFER_SECTIONS.filter((section) => listOfferFields(form).some((field) => field.section === section))

export const getOfferSectionTitle = ({ at }: OfferView, section: OfferSection): string => at.site.words.say(SECTION_HEADING_KEYS[section])

const Section = ({ view, section }: { view: OfferView; section: OfferSection }) => {
  const { at, rfp, form } = view
  const { say, locale } = at.site.words
  const fields = form.fields.filter((field) => field.section === section)
  const widthOf = ({ name, kind }: OfferField) =>
    kind === 'longText' || kind === 'text'
      ? ''
      : name === 'commit' || name === 'valid'
        ? 'half'
        : section === 'terms'
          ? 'half level'
          : 'third level'
  return (
    <Card id={section} title={getOfferSectionTitle(view, section)}>
      {section === 'rooms' ? (
        <>
          <p class="small muted">{say('bid.roomsText', { currency: formatCurrencySymbol(locale, rfp.currency) })}</p>
          <RoomRateTable view={view} />
        </>
      ) : null}
      <div class="fields">
        {fields.map((field) => (
          <div class={widthOf(field)}>
            <OfferFieldInput view={view} field={field} />
          </div>
        ))}
      </div>
      {section === 'terms' ? <Files view={view} /> : null}
    </Card>
  )
}

const Files = ({ view: { at, files, isOpen } }: { view: OfferView }) => {
  const { say } = at.site.words
  return (
    <div class="upload">
      {[...files.values()].map(({ name }) => (
        <p>{say('bid.file', { name })}</p>
      ))}
      <label for="files">{say('bid.files')}</label>
      <input type="file" id="files" name="files" multiple accept="application/pdf,image/jpeg,image/png" disabled={!isOpen} />
      <p class="small muted">{say('bid.filesHelp')}</p>
    </div>
  )
}

const SavedNotice = ({ view }: { view: OfferView }) => {
  const { at, rfp, draft, errors } = view
  const { say, locale } = at.site.words
  const zone = at.site.facts.timezone
  if (!view.isOpen)
    return <Notice>{say('supplier.closed', { moment: formatInstantWithTimeZone(locale, rfp.response_due_at, zone) })}</Notice>
  if (errors.length > 0) return <ErrorSummary message={say('bid.notSent')} errors={errors} />
  const current = findCurrentResponse(view, view.dateOption)
  const earlier = current && current.round < rfp.round ? current : null
  return (
    <>
      {earlier ? (
        <Notice>
          {say('bid.before', {
            round: earlier.round,
            amount: formatMinorUnits(at, computeOfferCost(rfp, view.dateOption, earlier.content).net, earlier.content.currency),
          })}
        </Notice>
      ) : null}
      {draft ? (
        <Notice tone="success">
          <strong>{say('bid.saved', { moment: formatInstantWithTimeZone(locale, new Date(draft.savedAt), zone) })}</strong>{' '}
          {say(current ? 'bid.savedAfter' : 'bid.savedText')}
        </Notice>
      ) : null}
    </>
  )
}

export function showOfferPage(web: WebServices, c: WebContext, view: OfferView) {
  const { at, rfp, dateOption, form, values } = view
  const { say, locale } = at.site.words
  const path = `${at.home}/offer?dates=${dateOption}`
  const { content, errors: missing } = parseOfferForm(form, values, rfp, at.site.words)
  const title = say('bid.title')
  return showSupplierPage(
    web,
    c,
    at,
    { title: `${title}, ${rfp.number}`, status: view.errors.length > 0 ? 400 : 200 },
    <Form class="checkout two" action={path} csrf={getCsrfToken(web, c)} files>
      <div class="head">
        <BackLink href={at.home}>{rfp.number}</BackLink>
        <h1>{title}</h1>
        <p class="lead">
          {say('bid.lead', {
            dates: formatDates(locale, rfp.date_options[dateOption]!),
            moment: formatInstantWithTimeZone(locale, rfp.response_due_at, at.site.facts.timezone),
          })}
          {rfp.date_options.map((option, index) =>
            index === dateOption ? null : (
              <>
                {' '}
                <a href={`${at.home}/offer?dates=${index}`}>{say('bid.otherDates', { dates: formatDates(locale, option) })}</a>
              </>
            ),
          )}
        </p>
        {view.isOpen ? <p>{say('bid.emptyText')}</p> : null}
      </div>
      <div class="checkout-main">
        <SavedNotice view={view} />
        {listOfferSections(view).map((section) => (
          <Section view={view} section={section} />
        ))}
      </div>
      <OfferSummary view={view} cost={computeOfferCost(rfp, dateOption, content)} minimum={content.fbMinimum} missing={missing} />
      {view.isOpen ? (
        <div class="bar">
          <div class="bar-buttons">
            <button type="submit" class="button" name="do" value="save">
              {say('bid.save')}
            </button>
            <button type="submit" class="button primary" name="do" value="send">
              {say('bid.send')}
            </button>
          </div>
        </div>
      ) : null}
    </Form>,
  )
}
