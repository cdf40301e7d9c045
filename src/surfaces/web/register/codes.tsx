import { ACCEPTED_INVITE } from '../../../domains/registration/invitations/use-invite.ts'
import { sumMinorUnits } from '../../../kernel/money.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { errorAt, formatMinorAmount, type PageView } from './view.ts'

/** A field with its own button, which applies the value without leaving the page. */
const CodeField = ({
  view,
  name,
  label,
  button,
  help,
  ok,
  required = false,
}: {
  view: PageView
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
        {label} {required ? null : <span class="optional">{view.site.words.say('field.optional')}</span>}
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

/** Discount code field with the amount saved. */
export function DiscountCode({ view, widget }: { view: PageView; widget: WidgetOf<'discountCode'> }) {
  const { say } = view.site.words
  const saved = sumMinorUnits(view.quote.lines.map(({ discount }) => discount))
  const ok = saved > 0 ? say('register.discountApplied', { amount: formatMinorAmount(view.site, saved) }) : undefined
  return (
    <CodeField
      view={view}
      name="@discount.code"
      label={widget.label ?? say('register.discountCode')}
      button={say('register.apply')}
      ok={ok}
    />
  )
}

/** Invitation code field. Hidden once the participant is on the invitation list. */
export function InviteCode({ view, widget }: { view: PageView; widget: WidgetOf<'inviteCode'> }) {
  const { say } = view.site.words
  if (view.progress.answers['@invite.code'] === ACCEPTED_INVITE) return <p class="ok">{say('register.invited')}</p>
  return (
    <CodeField
      view={view}
      name="@invite.code"
      label={widget.label ?? say('register.inviteCode')}
      button={say('register.apply')}
      required={widget.required}
    />
  )
}
