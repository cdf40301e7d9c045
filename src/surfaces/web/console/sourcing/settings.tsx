import { z } from 'zod'
import { type ClientSettings, updateClientSettings } from '../../../../domains/tenancy/clients.ts'
import { formatVariableWithUnit, getVariableLabel } from '../../../../domains/supplier-contracts/library/variable-names.ts'
import { count, currency, object, text } from '../../../../kernel/args.ts'
import { createFieldPropsGetter, FormCard } from '../../components/form-page.tsx'
import { Input, TextArea } from '../../components/forms.tsx'
import { AssistantPrompt, Card, DescriptionList } from '../../components/parts.tsx'
import { type FormErrors, validateFormFields, catchFormErrors } from '../../fields.ts'
import type { FormValues, WebServices } from '../../web.ts'
import type { ClientPageContext } from '../client-page.ts'
import { runClientChange } from '../frame.tsx'

const SourcingInput = object({
  approvalAmount: text(20).optional(),
  approvalCurrency: currency(),
  decliningText: text(2000).optional(),
  pciOverrideMaxDays: count(1, 365).optional(),
})

const LABELS: Record<string, string> = {
  approvalAmount: 'Approval limit',
  approvalCurrency: 'Currency of the limit',
  decliningText: 'Text for declined suppliers',
  pciOverrideMaxDays: 'Days without PCI attestation',
}
/** Returns the label of the setting at a path, for an error message about the setting. */
const labelOf = (path: string) => LABELS[path] ?? (path.startsWith('sourcing.approvalLimit') ? LABELS['approvalAmount']! : '')

const toForm = ({ sourcing, defaultCurrency }: ClientSettings): FormValues => ({
  approvalAmount: sourcing.approvalLimit?.amount ?? '',
  approvalCurrency: sourcing.approvalLimit?.currency ?? defaultCurrency,
  decliningText: sourcing.decliningText ?? '',
  pciOverrideMaxDays: String(sourcing.pciOverrideMaxDays ?? ''),
})

/** Shows the client's negotiation playbook (standard, fallback and limit of contract terms) as text. Only assistants can edit it. */
const Playbook = ({ sourcing: { playbook = {} } }: ClientSettings) => {
  const entries = Object.values(playbook).flatMap((variables) =>
    Object.entries(variables).map(([variable, entry]): [string, string] => [
      getVariableLabel(variable),
      `${formatVariableWithUnit(variable, entry.standard)}, fallback ${formatVariableWithUnit(variable, entry.fallback)}, walk away ${entry.better === 'lower' ? 'over' : 'under'} ${formatVariableWithUnit(variable, entry.walkAway)}`,
    ]),
  )
  return (
    <Card id="playbook" title="Negotiation playbook">
      {entries.length === 0 ? (
        <p class="muted lead-in">You use the standard playbook: our usual terms, fallbacks and limits for each clause of a contract.</p>
      ) : (
        <DescriptionList rows={entries} />
      )}
      <AssistantPrompt id="ask-playbook" text="Show me our negotiation playbook and suggest what to change." />
    </Card>
  )
}

/**
 * The cards of a client's sourcing settings: approval limit, text for declined suppliers, days without PCI attestation, and the
 * negotiation playbook.
 */
export const SourcingSettingsCards = ({
  at,
  settings,
  csrf,
  typed,
  formErrors,
}: {
  at: ClientPageContext
  settings: ClientSettings
  csrf: string
  typed: FormValues | null
  formErrors: FormErrors | null
}) => {
  const field = createFieldPropsGetter(typed ?? toForm(settings), formErrors)
  return (
    <>
      <FormCard
        id="sourcing"
        title="Sourcing"
        action={`${at.base}/settings/sourcing`}
        csrf={csrf}
        submit="Save sourcing settings"
        tone="plain"
      >
        <div class="fields-2">
          <Input
            {...field('approvalAmount')}
            label="Approval limit"
            optional="(optional)"
            help="Awards above this amount need the approval of a second person. Such as 50000."
            inputmode="decimal"
            autocomplete="off"
          />
          <Input
            {...field('approvalCurrency')}
            label="Currency of the limit"
            help="Three letters, such as EUR"
            maxlength={3}
            autocomplete="off"
          />
          <Input
            {...field('pciOverrideMaxDays')}
            type="number"
            label="Days without PCI attestation"
            optional="(optional)"
            help="How long card numbers may go to a hotel whose attestation is missing. 90 if empty."
            min={1}
            max={365}
          />
        </div>
        <TextArea {...field('decliningText')} label="Text for declined suppliers" optional="(optional)" rows={4} />
      </FormCard>
      <Playbook {...settings} />
    </>
  )
}

/** Saves the form. Returns the errors to show, or null if it was saved. */
export async function saveSourcingSettings(web: WebServices, at: ClientPageContext, form: FormValues): Promise<FormErrors | null> {
  const given = Object.fromEntries(Object.keys(LABELS).map((name) => [name, form[name]?.trim() || undefined]))
  const days = given['pciOverrideMaxDays']
  const read = validateFormFields(SourcingInput, { ...given, pciOverrideMaxDays: days === undefined ? undefined : Number(days) }, labelOf)
  if ('errors' in read) return read
  const { approvalAmount, approvalCurrency, decliningText, pciOverrideMaxDays }: z.output<typeof SourcingInput> = read.data
  const sourcing = {
    approvalLimit: approvalAmount === undefined ? null : { amount: approvalAmount, currency: approvalCurrency },
    decliningText: decliningText ?? null,
    pciOverrideMaxDays: pciOverrideMaxDays ?? null,
  }
  const failed = await catchFormErrors(
    () =>
      runClientChange(web, at.session, { client: at.client, action: 'update_client' }, (ctx) => updateClientSettings(ctx, { sourcing })),
    labelOf,
  )
  const errors = failed?.errors?.map((error) =>
    error.path.startsWith('sourcing.approvalLimit') ? { ...error, path: 'approvalAmount' } : error,
  )
  return failed && { ...failed, ...(errors ? { errors } : {}) }
}
