import { formatCurrencySymbol, formatShortDay } from '../../../kernel/language/format.ts'
import { buildAriaDescribedBy, ErrorText, LabelledField, findFieldError, Input, Select, TextArea } from '../components/forms.tsx'
import type { RoomNightFields, OfferField } from './offer-fields.ts'
import type { OfferView } from './offer-page.tsx'

const GridInput = ({ view: { values, errors, isOpen }, field }: { view: OfferView; field: OfferField }) => {
  const error = findFieldError(errors, field.name)
  return (
    <td>
      <label class="hidden" for={field.name}>
        {field.label}
      </label>
      <input
        type="text"
        inputmode={field.kind === 'count' ? 'numeric' : 'decimal'}
        id={field.name}
        name={field.name}
        value={values[field.name] ?? ''}
        autocomplete="off"
        maxlength={20}
        readonly={!isOpen}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={error ? `${field.name}-error` : undefined}
      />
      <ErrorText name={field.name} error={error} />
    </td>
  )
}

/** The table of rooms and rates by night. Suites have a table of their own. */
export const RoomRateTable = ({ view }: { view: OfferView }) => {
  const { say } = view.at.site.words
  const types = [
    { roomType: 'standard', caption: say('bid.rooms') },
    { roomType: 'suite', caption: say('bid.suites') },
  ] as const
  return (
    <>
      {types.map(({ roomType, caption }) => {
        const nights = view.form.nights.filter((night) => night.roomType === roomType)
        return nights.length === 0 ? null : <NightTable view={view} caption={caption} nights={nights} shown={roomType === 'suite'} />
      })}
    </>
  )
}

const NightTable = ({
  view,
  caption,
  nights,
  shown,
}: {
  view: OfferView
  caption: string
  nights: readonly RoomNightFields[]
  shown: boolean
}) => {
  const { say, locale } = view.at.site.words
  return (
    <table class="night-grid">
      <caption class={shown ? undefined : 'hidden'}>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{say('rfp.night')}</th>
          <th scope="col">{say('bid.count')}</th>
          <th scope="col">{say('bid.single')}</th>
          <th scope="col">{say('bid.double')}</th>
        </tr>
      </thead>
      <tbody>
        {nights.map(({ night, requested, rooms, single, double }) => (
          <tr>
            <th scope="row">
              {formatShortDay(locale, night)}
              <small>{say('bid.requested', { count: requested })}</small>
            </th>
            <GridInput view={view} field={rooms} />
            <GridInput view={view} field={single} />
            <GridInput view={view} field={double} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Longer units need more space in the field. */
const MAX_SHORT_UNIT = 6

/** One field of the offer with its unit and error. */
export const OfferFieldInput = ({ view, field }: { view: OfferView; field: OfferField }) => {
  const { say, locale } = view.at.site.words
  const { name, label, kind, unit, question } = field
  const value = view.values[name] ?? ''
  const error = findFieldError(view.errors, name)
  const help = name === 'commit' ? say('bid.commitHelp') : undefined
  // Most fields can stay empty, so the required ones are marked.
  const shared = { name, label, error, help, optional: field.isRequired ? `(${say('bid.required')})` : undefined }
  if (kind === 'longText') return <TextArea {...shared} rows={2} value={value} />
  if (kind === 'choice' || kind === 'boolean') {
    const options =
      kind === 'choice'
        ? question!.choices!.map((choice) => ({ value: choice, label: choice }))
        : [
            { value: 'yes', label: say('bid.yes') },
            { value: 'no', label: say('bid.no') },
          ]
    return <Select {...shared} value={value} options={[{ value: '', label: say('bid.choose') }, ...options]} />
  }
  if (kind === 'day') return <Input {...shared} type="date" value={value} />
  if (unit === undefined) return <Input {...shared} value={value} maxlength={200} autocomplete="off" />
  return (
    <LabelledField field={shared}>
      <div class={unit.length > MAX_SHORT_UNIT ? 'with-unit long' : 'with-unit'}>
        <input
          type="text"
          inputmode="decimal"
          id={name}
          name={name}
          value={value}
          autocomplete="off"
          maxlength={20}
          readonly={!view.isOpen}
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={buildAriaDescribedBy(shared)}
        />
        <span>{unit === view.rfp.currency ? formatCurrencySymbol(locale, unit) : unit}</span>
      </div>
    </LabelledField>
  )
}
