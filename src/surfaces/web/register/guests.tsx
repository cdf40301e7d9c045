import { FIELDS } from '../../../domains/checkout/sent-page.ts'
import { guestNumbers, guestProperties } from '../../../domains/checkout/guest-answers.ts'
import type { Progress } from '../../../domains/checkout/progress.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { Select } from '../components/forms.tsx'
import { Asked, Group } from './fields.tsx'
import { errorAt, type View } from './view.ts'

/** Guests one at a time: those there are with what can be done about them, and the form of the one that is being filled in. */
export function Guests({ view, widget }: { view: View; widget: WidgetOf<'guests'> }) {
  const { say } = view.place.words
  const { flow, answers } = view.progress
  const settings = flow.guests
  if (!settings?.enabled) return null
  const numbers = guestNumbers(answers)
  const open = view.guest ?? (numbers.length < widget.min ? numbers.length + 1 : null)
  const error = view.errors.find(({ path }) => path.startsWith('@guest.'))?.message
  return (
    <Group
      field={{
        name: view.errors.find(({ path }) => path.startsWith('@guest.'))?.path ?? 'guests',
        label: widget.label ?? say('register.guests'),
        help: say('register.guestsMost', { count: settings.max }),
        error,
      }}
    >
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
                <button type="submit" class="button small quiet" name="do" value={`guest-edit:${number}`}>
                  {say('register.guestEdit')}
                  <span class="hidden"> {nameOf(view, number)}</span>
                </button>
                <button type="submit" class="button small quiet" name="do" value={`guest-remove:${number}`}>
                  {say('register.guestRemove')}
                  <span class="hidden"> {nameOf(view, number)}</span>
                </button>
              </span>
            </li>
          ))}
      </ul>
      {open === null ? (
        numbers.length < settings.max ? (
          <button type="submit" class="button" name="do" value="guest-add">
            {say('register.guestAdd')}
          </button>
        ) : null
      ) : (
        <OneGuest view={view} number={open} />
      )}
    </Group>
  )
}

/** Whose form a button asks for; null for every other button. */
export const guestToOpen = (pressed: string, { answers }: Pick<Progress, 'answers'>): number | null => {
  const [action, number = ''] = pressed.split(':')
  if (action === 'guest-edit') return Number(number) || null
  return action === 'guest-add' ? (guestNumbers(answers).at(-1) ?? 0) + 1 : null
}

const nameOf = ({ progress: { answers } }: View, number: number) =>
  [answers[`@guest.${number}.firstName`], answers[`@guest.${number}.lastName`]].filter(Boolean).join(' ')

const typeName = ({ flow }: View, code: unknown) => flow.guests?.types.find((type) => type.code === code)?.name ?? ''

function OneGuest({ view, number }: { view: View; number: number }) {
  const { say } = view.place.words
  const types = view.flow.guests?.types ?? []
  const required = new Set(
    (view.flow.guests?.fields ?? []).filter((field) => field.required).map(({ binding }) => binding.slice(binding.lastIndexOf('.') + 1)),
  )
  const type = `@guest.${number}.type`
  // What somebody was billed as is not changed: they go, and come again as something else.
  const isBooked = view.progress.row.status === 'complete' && guestNumbers(view.progress.answers).includes(number)
  return (
    <div class="fields" id="guest">
      <input type="hidden" name={FIELDS.guest('number')} value={String(number)} />
      {guestProperties(view.progress.flow)
        .filter((property) => property !== 'type')
        .map((property) => (
          <div class={property === 'firstName' || property === 'lastName' ? 'half' : undefined}>
            <Asked
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
          error={errorAt(view, type)}
          options={[{ value: '', label: say('field.choose') }, ...types.map(({ code, name }) => ({ value: code, label: name }))]}
        />
      ) : null}
      {types.length === 1 && !isBooked ? <input type="hidden" name={type} value={types[0]!.code} /> : null}
      <div>
        <button type="submit" class="button" name="do" value="guest-save">
          {say('register.guestSave')}
        </button>
      </div>
    </div>
  )
}
