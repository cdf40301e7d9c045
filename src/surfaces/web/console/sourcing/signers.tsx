import type { EnvelopeResult } from '../../../../domains/signing/envelopes.ts'
import { getContract } from '../../../../domains/supplier-contracts/contracts.ts'
import type { ContractRow } from '../../../../domains/supplier-contracts/tables.ts'
import { count, email, name, object, text } from '../../../../kernel/args.ts'
import { formatDay } from '../../../../kernel/language/format.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import sendContractForSignature from '../../../../toolsets/sourcing/send-contract-for-signature.ts'
import voidContractEnvelope from '../../../../toolsets/sourcing/void-contract-envelope.ts'
import { createFieldPropsGetter, renderFormPage } from '../../components/form-page.tsx'
import { Checkbox, type FieldErrors, Input, LinkButton, TextArea } from '../../components/forms.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Notice } from '../../components/parts.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { type FieldLabelLookup, type FormErrors, validateFormFields } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { CONFIRM_BUTTON, runFormToolCall, type ToolArguments } from '../tool-call.ts'
import { CONTRACTS_PATH } from './contracts.tsx'

const PATH = `${CONTRACTS_PATH}/:contract`

/** The rows for signers in the form. One person of each side must sign; a second one may. */
const ROWS = [
  { id: 'client', side: 'client', title: 'For us', order: '1' },
  { id: 'client2', side: 'client', title: 'For us, second person (optional)', order: '1' },
  { id: 'supplier', side: 'supplier', title: 'For the supplier', order: '2' },
  { id: 'supplier2', side: 'supplier', title: 'For the supplier, second person (optional)', order: '2' },
] as const

const SEND_FIELDS = [...ROWS.flatMap(({ id }) => [`${id}-name`, `${id}-email`, `${id}-order`]), 'days', 'message']
const VOID_FIELDS = ['reason', 'notify']

interface Sent {
  envelope: EnvelopeResult
}

const isFilled = (form: FormValues, id: string) => Boolean(form[`${id}-name`]?.trim() || form[`${id}-email`]?.trim())
const listFilled = (form: FormValues) => ROWS.filter(({ id }) => isFilled(form, id))

/** Converts a typed number; returns the text itself if it is not a number. */
const toNumber = (typed: string | undefined) => (/^\d{1,3}$/.test(typed?.trim() ?? '') ? Number(typed) : (typed ?? ''))

const SignerForm = object({ name: name(120), email: email(), order: count(1, 10) })
const SIGNER_LABELS: Record<string, string> = { name: 'name', email: 'email', order: 'signing order' }
const EnvelopeForm = object({ days: count(1, 90), message: text(1000).optional() })
const VoidForm = object({ reason: text(1000).min(5, 'at least 5 characters') })
const LABELS: Record<string, string> = { days: 'Days to sign', message: 'Message', reason: 'Reason' }
const labelOf: FieldLabelLookup = (path) => LABELS[path] ?? ''

/** Reads the form into the arguments of send_contract_for_signature, or returns its errors. */
function readSigners(form: FormValues, contractId: string): { args: ToolArguments } | { errors: FieldErrors } {
  const errors: FieldErrors[number][] = []
  const signers = listFilled(form).map(({ id, side, title }) => {
    const typed = { name: form[`${id}-name`], email: form[`${id}-email`], order: toNumber(form[`${id}-order`]) }
    const read = validateFormFields(SignerForm, typed, (path) => `${title}, ${SIGNER_LABELS[path] ?? path}`)
    if ('data' in read) return { ...read.data, side }
    errors.push(...read.errors.map(({ path, message }) => ({ path: `${id}-${path}`, message })))
    return null
  })
  const read = validateFormFields(EnvelopeForm, { days: toNumber(form['days']), message: form['message']?.trim() || undefined }, labelOf)
  if ('errors' in read) return { errors: [...errors, ...read.errors] }
  const { days: expiresInDays, message } = read.data
  return errors.length > 0 ? { errors } : { args: { contractId, signers, expiresInDays, ...(message ? { message } : {}) } }
}

/** Returns the initial values of the form. */
const suggestValues = (at: EventPageContext, { contact_name, contact_email }: ContractRow): FormValues => ({
  'client-name': at.session.actor.name,
  'client-email': at.session.email,
  'supplier-name': contact_name ?? '',
  'supplier-email': contact_email ?? '',
  days: '14',
})

const SignerFields = ({ form, formErrors }: { form: FormValues; formErrors: FormErrors | null }) => {
  const fields = createFieldPropsGetter(form, formErrors)
  return (
    <>
      {ROWS.map(({ id, title, order }) => (
        <fieldset class="subform">
          <legend class="legend">{title}</legend>
          <div class="fields-signer">
            <Input {...fields(`${id}-name`)} label="Name" maxlength={120} autocomplete="off" />
            <Input {...fields(`${id}-email`)} type="email" label="Email" autocomplete="off" />
            <Input {...fields(`${id}-order`)} value={form[`${id}-order`] ?? order} type="number" min={1} max={10} label="Signing order" />
          </div>
        </fieldset>
      ))}
      <div class="fields-3">
        <Input {...fields('days')} type="number" min={1} max={90} label="Days to sign" />
      </div>
      <TextArea {...fields('message')} label="Message" optional="(optional)" rows={3} maxlength={1000} />
    </>
  )
}

function describeSending(at: EventPageContext, { envelope }: Sent): string {
  const turns = [...new Set(envelope.signers.map(({ order }) => order))].toSorted((a, b) => a - b)
  const named = (order: number) =>
    new Intl.ListFormat('en-GB').format(envelope.signers.filter((one) => one.order === order).map((one) => `${one.name} (${one.email})`))
  const until = formatDay('en-GB', toDayInZone(at.event.timezone, new Date(envelope.expiresAt)))
  const [first, ...others] = turns
  return [
    `${named(first!)} gets the link to sign now.`,
    ...others.map((order) => `Then ${named(order)}.`),
    `They can sign until ${until}. When all have signed, the contract is in force. This cannot be undone, but you can stop the signing until then.`,
  ].join(' ')
}

/** `…/contracts/<id>/sign` sends the final text to its signers, `…/void` withdraws it. Both show the dry run of their tool first. */
export function contractSigningPages(web: WebServices) {
  interface Place {
    at: EventPageContext
    row: ContractRow
    here: string
  }
  async function open(c: WebContext): Promise<Place> {
    const at = await getEventPageContext(web, c, 'sourcing.write')
    const row = await getContract(at.reading, c.req.param('contract') ?? '')
    return { at, row, here: `${at.base}/contracts/${row.id}` }
  }
  const sharedParts = (c: WebContext, { at, row, here }: Place, act: 'sign' | 'void') => ({
    title: act === 'sign' ? `Send ${row.number} for signature` : `Stop the signing of ${row.number}`,
    crumbs: [
      { href: `${at.base}/contracts`, label: 'Contracts' },
      { href: here, label: row.number },
    ],
    action: `${here}/${act}`,
    csrf: getCsrfToken(web, c),
  })

  /** Shows why the contract cannot be sent for signing or withdrawn, instead of the form. */
  function sendRefusal(c: WebContext, place: Place, act: 'sign' | 'void', reason: string) {
    const { title, crumbs } = sharedParts(c, place, act)
    const page = renderContentPage(
      { title, crumbs },
      <div class="stack">
        <Notice tone="warning">{reason}</Notice>
        <LinkButton href={place.here}>Back to {place.row.number}</LinkButton>
      </div>,
    )
    return sendConsolePage(web, c, getNavigationPosition(place.at, 'contracts'), page)
  }

  function sendForm(c: WebContext, place: Place, form: FormValues, formErrors: FormErrors | null = null) {
    const { status, number } = place.row
    if (status !== 'readyForSignature' && formErrors === null)
      return sendRefusal(
        c,
        place,
        'sign',
        `${number} cannot be sent for signature yet. All clauses must be agreed, and the contract prepared for signature.`,
      )
    const page = renderFormPage({
      ...sharedParts(c, place, 'sign'),
      text: 'People with signing order 1 get their link now. People with order 2 get theirs when all with order 1 have signed.',
      formErrors,
      submit: 'Review',
      cancel: place.here,
      children: <SignerFields form={form} formErrors={formErrors} />,
    })
    return sendConsolePage(web, c, getNavigationPosition(place.at, 'contracts'), page)
  }

  function sendVoidForm(c: WebContext, place: Place, form: FormValues, formErrors: FormErrors | null = null) {
    const { status, number } = place.row
    if (status !== 'outForSignature' && formErrors === null)
      return sendRefusal(c, place, 'void', `${number} is not out for signature, so there is nothing to stop.`)
    const fields = createFieldPropsGetter(form, formErrors)
    const page = renderFormPage({
      ...sharedParts(c, place, 'void'),
      text: 'The links to sign stop working. The contract can then be sent again.',
      formErrors,
      submit: 'Review',
      cancel: place.here,
      cancelLabel: 'Keep signing',
      children: (
        <>
          <TextArea {...fields('reason')} label="Reason" rows={3} maxlength={1000} help="At least 5 characters. The signers can read it." />
          <Checkbox name="notify" label="Inform the signers by email" checked={form['notify'] === 'on' || Object.keys(form).length === 0} />
        </>
      ),
    })
    return sendConsolePage(web, c, getNavigationPosition(place.at, 'contracts'), page)
  }

  return createConsoleRouter(web)
    .get(`${PATH}/sign`, async (c) => {
      const place = await open(c)
      return sendForm(c, place, suggestValues(place.at, place.row))
    })
    .get(`${PATH}/void`, async (c) => sendVoidForm(c, await open(c), {}))
    .post(`${PATH}/sign`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const place = await open(c)
      const { at, row, here } = place
      const read = readSigners(form, row.id)
      const args = 'args' in read ? read.args : null
      const call = await runFormToolCall<Sent>(web, at, { tool: sendContractForSignature, args, form, fields: SEND_FIELDS })
      if ('done' in call) return c.redirect(`${here}?done=saved`, 303)
      if ('refused' in call) return sendForm(c, place, form, { message: call.refused.message })
      if ('unread' in call) return sendForm(c, place, form, 'errors' in read ? read : {})
      const page = renderChangePreviewPage({
        ...sharedParts(c, place, 'sign'),
        hidden: { ...call.checked.hidden, ...Object.fromEntries(SEND_FIELDS.map((name) => [name, form[name]])) },
        condition: 'If you send:',
        effects: <bdi>{describeSending(at, call.checked.result)}</bdi>,
        submit: 'Send for signature',
        submitAs: CONFIRM_BUTTON,
        tone: 'primary',
        back: { href: here, label: 'Cancel' },
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'contracts'), page)
    })
    .post(`${PATH}/void`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const place = await open(c)
      const { at, row, here } = place
      const read = validateFormFields(VoidForm, { reason: form['reason'] }, labelOf)
      const args = 'errors' in read ? null : { contractId: row.id, reason: read.data.reason, notify: form['notify'] === 'on' }
      const call = await runFormToolCall<Sent>(web, at, { tool: voidContractEnvelope, args, form, fields: VOID_FIELDS })
      if ('done' in call) return c.redirect(`${here}?done=saved`, 303)
      if ('refused' in call) return sendVoidForm(c, place, form, { message: call.refused.message })
      if ('unread' in call) return sendVoidForm(c, place, form, 'errors' in read ? read : {})
      const signed = call.checked.result.envelope.signers.filter(({ status }) => status === 'signed').length
      const page = renderChangePreviewPage({
        ...sharedParts(c, place, 'void'),
        hidden: { ...call.checked.hidden, reason: form['reason'], notify: form['notify'] },
        condition: 'If you continue:',
        effects: `The links to sign stop working immediately${signed > 0 ? `, and ${signed === 1 ? '1 signature is' : `${signed} signatures are`} lost` : ''}. The contract can then be sent again. This cannot be undone.`,
        submit: 'Stop the signing',
        submitAs: CONFIRM_BUTTON,
        back: { href: here, label: 'Cancel' },
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'contracts'), page)
    })
}
