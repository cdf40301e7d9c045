import { submitResponse } from '../../../../domains/bids/submit.ts'
import { formatDates } from '../../../../domains/rfps/describe-needs.ts'
import { getRecipient, getRfp, readInvitedSupplierNames } from '../../../../domains/rfps/rfps.ts'
import type { RecipientRow, RfpRow } from '../../../../domains/rfps/tables.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { formatShortDay } from '../../../../kernel/language/format.ts'
import { chooseTranslator } from '../../../../kernel/language/translator.ts'
import { Button, findFieldError, Form, Input, Select, TextArea } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card } from '../../components/parts.tsx'
import { type FormErrors, catchFormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { buildOfferForm, type RoomNightFields, OFFER_SECTIONS, type OfferField, type OfferSection } from '../../supplier/offer-fields.ts'
import { parseOfferForm } from '../../supplier/offer-values.ts'
import { runEventChange, type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { RFPS_PATH } from './rfps.tsx'

const PATH = `${RFPS_PATH}/:rfp/responses/:recipient`
const WORDS = chooseTranslator('en')

/** The headings of the form for organizers. Those of the supplier's own form address the supplier. */
const SECTION_TITLES: Record<OfferSection, string> = {
  rooms: 'Rooms',
  food: 'Food and space',
  include: 'Included',
  questions: 'Our questions',
  terms: 'Terms',
}

/** Returns the label of a field with its unit, unless the label already names the unit. */
const labelOf = ({ name, label, unit }: OfferField) =>
  name === 'comp' ? 'Room nights per free room' : unit === undefined || label.includes(unit) ? label : `${label} (${unit})`

interface ResponsePage {
  at: EventPageContext
  rfp: RfpRow
  recipient: RecipientRow
  supplier: string
  dateOption: number
}

async function getResponsePage(web: WebServices, c: WebContext): Promise<ResponsePage> {
  const at = await getEventPageContext(web, c, 'sourcing.write')
  const rfp = await getRfp(at.reading, c.req.param('rfp') ?? '')
  const recipient = await getRecipient(at.reading, c.req.param('recipient') ?? '')
  if (recipient.rfp_id !== rfp.id) throw notFound('No such supplier of this RFP')
  const wanted = Number(c.req.query('dates') ?? '0')
  const dateOption = rfp.date_options[wanted] === undefined ? 0 : wanted
  const names = await readInvitedSupplierNames(at.reading, rfp.id)
  return { at, rfp, recipient, supplier: names.get(recipient.supplier_id) ?? '', dateOption }
}

interface NightProps extends Omit<FieldProps, 'field' | 'label'> {
  night: RoomNightFields
}

interface FieldProps {
  field: OfferField
  label?: string
  sent: FormValues
  errors: FormErrors | null
}

const ResponseInput = ({ field, label = labelOf(field), sent, errors }: FieldProps) => {
  const { name, kind, question } = field
  const shared = {
    name,
    label,
    error: findFieldError(errors?.errors, name),
    value: sent[name],
  }
  if (kind === 'longText') return <TextArea {...shared} rows={2} />
  if (kind === 'day') return <Input {...shared} type="date" />
  if (kind !== 'choice' && kind !== 'boolean') return <Input {...shared} autocomplete="off" maxlength={200} />
  const options = kind === 'choice' ? question!.choices! : ['yes', 'no']
  return <Select {...shared} options={[{ value: '', label: 'Please choose' }, ...options.map((value) => ({ value, label: value }))]} />
}

/** The rooms of one night: one row with the number of rooms and their rates. */
const NightInputs = ({ night: { night, roomType, requested, rooms, single, double }, ...shared }: NightProps) => (
  <fieldset class="offer-night">
    <legend>
      {formatShortDay('en-GB', night)}: {requested} {roomType === 'suite' ? 'suites' : 'rooms'} requested
    </legend>
    <div class="fields-3 offer-fields night">
      <ResponseInput field={rooms} label={roomType === 'suite' ? 'Suites' : 'Rooms'} {...shared} />
      <ResponseInput field={single} label="Single rate" {...shared} />
      <ResponseInput field={double} label="Double rate" {...shared} />
    </div>
  </fieldset>
)

function sendResponsePage(web: WebServices, c: WebContext, page: ResponsePage, sent: FormValues = {}, errors: FormErrors | null = null) {
  const { at, rfp, supplier, dateOption } = page
  const here = `${at.base}/rfps/${rfp.id}`
  const form = buildOfferForm(rfp, dateOption, WORDS)
  const shown = renderContentPage(
    {
      title: `Response of ${supplier}, ${rfp.number}`,
      heading: `Response of ${supplier}`,
      text: `For ${formatDates('en-GB', rfp.date_options[dateOption]!)}. Enter what came by email. Amounts are in ${rfp.currency}, without tax.`,
      crumbs: [
        { href: at.base, label: at.event.name },
        { href: `${at.base}/rfps`, label: 'RFPs' },
        { href: here, label: rfp.number },
      ],
      formErrors: errors,
    },
    <Card>
      {rfp.date_options.length > 1 ? (
        <p>
          Other dates:{' '}
          {rfp.date_options.map((option, index) =>
            index === dateOption ? null : <a href={`${c.req.path}?dates=${index}`}>{formatDates('en-GB', option)} </a>,
          )}
        </p>
      ) : null}
      <Form action={`${c.req.path}?dates=${dateOption}`} csrf={getCsrfToken(web, c)} class="stack">
        {OFFER_SECTIONS.map((section) => {
          const fields = form.fields.filter((field) => field.section === section)
          return fields.length === 0 ? null : (
            <fieldset class="subform">
              <legend class="legend">{SECTION_TITLES[section]}</legend>
              {section === 'rooms' ? form.nights.map((night) => <NightInputs night={night} sent={sent} errors={errors} />) : null}
              <div class="fields-3 offer-fields">
                {fields.map((field) => (
                  <ResponseInput field={field} sent={sent} errors={errors} />
                ))}
              </div>
            </fieldset>
          )
        })}
        <Button tone="primary">Save response</Button>
      </Form>
    </Card>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'rfps'), shown)
}

/** `…/rfps/<rfp>/responses/<recipient>`: records a supplier's response that arrived by email. */
export function rfpResponsePages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c) => sendResponsePage(web, c, await getResponsePage(web, c)))
    .post(PATH, async (c) => {
      const sent = await requireConsoleForm(web, c)
      const page = await getResponsePage(web, c)
      const { at, rfp, recipient, dateOption } = page
      const { content, errors } = parseOfferForm(buildOfferForm(rfp, dateOption, WORDS), sent, rfp, WORDS)
      if (errors.length > 0) return sendResponsePage(web, c, page, sent, { errors })
      const failed = await catchFormErrors(
        () =>
          runEventChange(web, at, 'enter_rfp_response', (ctx) =>
            submitResponse(ctx, { recipientId: recipient.id, dateOption, content, source: 'console' }),
          ),
        () => '',
      )
      return failed ? sendResponsePage(web, c, page, sent, failed) : c.redirect(`${at.base}/rfps/${rfp.id}?done=saved`, 303)
    })
}
