import { LISTED } from '../../../domains/checkout/invite-choice.ts'
import { sumMinor } from '../../../kernel/money.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { errorAt, moneyText, type View } from './view.ts'

/** A value with its own button beside it, which shows what comes of it before anything else is asked. */
const WithButton = ({
  view,
  name,
  label,
  button,
  help,
  ok,
  required = false,
}: {
  view: View
  name: string
  label: string
  button: string
  help?: string | undefined
  ok?: string | undefined
  required?: boolean
}) => {
  const error = errorAt(view, name)
  return (
    <div class="field">
      <label for={name}>
        {label} {required ? null : <span class="optional">{view.place.words.say('field.optional')}</span>}
      </label>
      <div class="with-button">
        <input
          type="text"
          id={name}
          name={name}
          value={view.valueOf(name)[0] ?? ''}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={error ? `${name}-error` : ok ? `${name}-ok` : undefined}
        />
        <button type="submit" class="button" name="do" value="update">
          {button}
        </button>
      </div>
      {help ? <span class="help">{help}</span> : null}
      {ok ? (
        <span class="help ok" id={`${name}-ok`} role="status">
          {ok}
        </span>
      ) : null}
      {error ? (
        <span class="error" id={`${name}-error`}>
          {error}
        </span>
      ) : null}
    </div>
  )
}

/** A code that takes something off; by how much is told beside it. */
export function DiscountCode({ view, widget }: { view: View; widget: WidgetOf<'discountCode'> }) {
  const { say } = view.place.words
  const saved = sumMinor(view.quote.lines.map(({ discount }) => discount))
  const ok = saved > 0 ? say('register.discountGood', { amount: moneyText(view.place, saved) }) : undefined
  return (
    <WithButton
      view={view}
      name="@discount.code"
      label={widget.label ?? say('register.discountCode')}
      button={say('register.apply')}
      ok={ok}
    />
  )
}

/** A code that somebody was invited with; once it was good it is not asked any more. */
export function InviteCode({ view, widget }: { view: View; widget: WidgetOf<'inviteCode'> }) {
  const { say } = view.place.words
  if (view.progress.answers['@invite.code'] === LISTED) return <p class="ok">{say('register.invited')}</p>
  return (
    <WithButton
      view={view}
      name="@invite.code"
      label={widget.label ?? say('register.inviteCode')}
      button={say('register.apply')}
      required={widget.required}
    />
  )
}
