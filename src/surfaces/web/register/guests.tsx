import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import { listGuestNumbers, listGuestFormFields } from '../../../domains/checkout/guest-answers.ts'
import type { RegistrationProgress } from '../../../domains/checkout/progress.ts'
import { findPrice } from '../../../domains/configuration/flow/prices.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { Select } from '../components/forms.tsx'
import { QuestionField, FieldGroup } from './fields.tsx'
import { formatPriceText } from './products.tsx'
import { findErrorMessage, type RegistrationPageView, buildPathToWidget } from './view.ts'

/** The list of guests with edit and remove buttons, and the form of one guest at a time. */
export function GuestsWidget({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'guests'> }) {
  const { say } = view.site.words
  const { flow, answers } = view.progress
  const settings = flow.guests
  const here = buildPathToWidget(widget.id)
  if (!settings?.enabled) return null
  const numbers = listGuestNumbers(answers)
  const open = view.guest ?? (numbers.length < widget.min ? numbers.length + 1 : null)
  const error = view.errors.find(({ path }) => path.startsWith('@guest.'))?.message
  return (
    <FieldGroup
      field={{
        name: view.errors.find(({ path }) => path.startsWith('@guest.'))?.path ?? 'guests',
        label: widget.label ?? say('register.guests'),
        help: say('register.guestsMost', { count: settings.max }),
        error,
      }}
    >
      <GuestPrices view={view} />
      <ul class="links">
        {numbers
          .filter((number) => number !== open)
          .map((number) => (
            <li class="row-between">
              <span>
                <strong>{nameOf(view, number) || say('register.guestNumber', { number })}</strong>{' '}
                <span class="muted">{typeName(view, answers[`@guest.${number}.type`])}</span>
              </span>
              <span class="row">
                <button type="submit" class="button small quiet" name="do" value={`guest-edit:${number}`} formaction={here}>
                  {say('register.guestEdit')}
                  <span class="hidden"> {nameOf(view, number)}</span>
                </button>
                <button type="submit" class="button small quiet" name="do" value={`guest-remove:${number}`} formaction={here}>
                  {say('register.guestRemove')}
                  <span class="hidden"> {nameOf(view, number)}</span>
                </button>
              </span>
            </li>
          ))}
      </ul>
      {open === null ? (
        numbers.length < settings.max ? (
          <button type="submit" class="button" name="do" value="guest-add" formaction={here}>
            {say('register.guestAdd')}
          </button>
        ) : null
      ) : (
        <GuestForm view={view} number={open} here={here} />
      )}
    </FieldGroup>
  )
}

/** The price of each guest type, shown before a guest is added. */
function GuestPrices({ view }: { view: RegistrationPageView }) {
  const types = (view.flow.guests?.types ?? []).flatMap(({ name, productCode }) => {
    const price = guestPrice(view, productCode)
    return price === null ? [] : [{ name, price }]
  })
  if (types.length === 0) return null
  const { say } = view.site.words
  return (
    <>
      {types.map(({ name, price }) => (
        <p>{types.length === 1 ? say('register.guestCosts', { price }) : say('register.guestTypeCosts', { type: name, price })}</p>
      ))}
    </>
  )
}

/** The current price of a guest's product with its tax note, such as "€180.00 plus tax"; null if guests of this type have no product. */
function guestPrice(view: RegistrationPageView, productCode: string | null): string | null {
  const { walk, snapshot } = view.progress
  const product = view.config.products.find(({ code }) => code === productCode)
  const price = product && findPrice(product, { tags: walk.priceTags, at: snapshot.at, timezone: snapshot.timezone })
  return price ? formatPriceText(view, product, price.amount) : null
}

/** The guest number whose form the pressed button opens, or null. */
export const findGuestFormToOpen = (pressed: string, { answers }: Pick<RegistrationProgress, 'answers'>): number | null => {
  const [action, number = ''] = pressed.split(':')
  if (action === 'guest-edit') return Number(number) || null
  return action === 'guest-add' ? (listGuestNumbers(answers).at(-1) ?? 0) + 1 : null
}

const nameOf = ({ progress: { answers } }: RegistrationPageView, number: number) =>
  [answers[`@guest.${number}.firstName`], answers[`@guest.${number}.lastName`]].filter(Boolean).join(' ')

const typeName = ({ flow }: RegistrationPageView, code: unknown) => flow.guests?.types.find((type) => type.code === code)?.name ?? ''

function GuestForm({ view, number, here }: { view: RegistrationPageView; number: number; here: string }) {
  const { say } = view.site.words
  const types = view.flow.guests?.types ?? []
  const required = new Set(
    (view.flow.guests?.fields ?? []).filter((field) => field.required).map(({ binding }) => binding.slice(binding.lastIndexOf('.') + 1)),
  )
  const type = `@guest.${number}.type`
  // A booked guest's product is already invoiced, so the guest type cannot change. The guest has to be removed and added again.
  const isBooked = view.progress.row.status === 'complete' && listGuestNumbers(view.progress.answers).includes(number)
  return (
    <div class="fields" id="guest">
      <input type="hidden" name={NON_ANSWER_FORM_FIELDS.guest('number')} value={String(number)} />
      {listGuestFormFields(view.progress.flow)
        .filter((property) => property !== 'type')
        .map((property) => (
          <div class={property === 'firstName' || property === 'lastName' ? 'half' : undefined}>
            <QuestionField
              view={view}
              question={{
                binding: `@guest.${number}.${property}`,
                required: ['firstName', 'lastName'].includes(property) || required.has(property),
              }}
            />
          </div>
        ))}
      {types.length > 1 && !isBooked ? (
        <Select
          name={type}
          label={say('register.guestType')}
          value={view.valueOf(type)[0]}
          error={findErrorMessage(view, type)}
          options={[
            { value: '', label: say('field.choose') },
            ...types.map(({ code, name, productCode }) => ({
              value: code,
              label: [name, guestPrice(view, productCode)].filter(Boolean).join(', '),
            })),
          ]}
        />
      ) : null}
      {types.length === 1 && !isBooked ? <input type="hidden" name={type} value={types[0]!.code} /> : null}
      <div>
        <button type="submit" class="button" name="do" value="guest-save" formaction={here}>
          {say('register.guestSave')}
        </button>
      </div>
    </div>
  )
}
