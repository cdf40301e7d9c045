import { ACCEPTED_INVITE_CODE_ANSWER } from '../../../domains/registration/invitations/use-invite.ts'
import { sumMinorUnits } from '../../../kernel/money.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { ErrorText } from '../components/forms.tsx'
import { translateFieldError } from './messages.ts'
import { findErrorMessage, formatMinorAmount, type RegistrationPageView, buildPathToWidget } from './view.ts'

/** A field with its own button, which applies the value without leaving the page. */
const CodeField = ({
  view,
  widget,
  name,
  label,
  button,
  help,
  ok,
  error: savedError,
  required = false,
}: {
  view: RegistrationPageView
  widget: string
  name: string
  label: string
  button: string
  help?: string | undefined
  ok?: string | undefined
  /** An error about the saved answer; shown only if the submitted form has no error in this field. */
  error?: string | undefined
  required?: boolean
}) => {
  const error = findErrorMessage(view, name) ?? savedError
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
        <button type="submit" class="button" name="do" value="update" formaction={buildPathToWidget(widget)}>
          {button}
        </button>
      </div>
      {help ? <span class="help">{help}</span> : null}
      {ok ? (
        <span class="help ok" id={`${name}-ok`} role="status">
          {ok}
        </span>
      ) : null}
      <ErrorText name={name} error={error} />
    </div>
  )
}

/** The field for a discount code, with the amount that the code saves. */
export function DiscountCodeField({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'discountCode'> }) {
  const { say } = view.site.words
  const saved = sumMinorUnits(view.quote.lines.map(({ discount }) => discount))
  // A code that gives no discount is an error only if a product is chosen or the visitor has pressed "Apply".
  const refused = view.quote.refused.find(({ path }) => path === '@discount.code')
  const isShown = view.pressedWidget === widget.id || view.quote.chosen.length > 0
  const context = { words: view.site.words, config: view.config, missing: view.progress.walk.missing }
  const error = refused && isShown ? translateFieldError(context, refused) : undefined
  const ok = saved > 0 ? say('register.discountApplied', { amount: formatMinorAmount(view.site, saved) }) : undefined
  return (
    <CodeField
      view={view}
      widget={widget.id}
      name="@discount.code"
      label={widget.label ?? say('register.discountCode')}
      button={say('register.apply')}
      ok={ok}
      error={error}
    />
  )
}

/** The field for an invitation code. Hidden once the participant is on the invitation list. */
export function InviteCodeField({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'inviteCode'> }) {
  const { say } = view.site.words
  if (view.progress.answers['@invite.code'] === ACCEPTED_INVITE_CODE_ANSWER) return <p class="ok">{say('register.invited')}</p>
  return (
    <CodeField
      view={view}
      widget={widget.id}
      name="@invite.code"
      label={widget.label ?? say('register.inviteCode')}
      button={say('register.apply')}
      required={widget.required}
    />
  )
}
