import { NON_ANSWER_FORM_FIELDS, PARTICIPANT_VISIBILITY_FIELD } from '../../../domains/checkout/sent-page.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import { listLeadFields, type LeadSharingChoices } from '../../../domains/configuration/sharing.ts'
import { Checkbox } from '../components/forms.tsx'
import { LeadSharingField } from '../event/share-field.tsx'
import { FieldGroup } from './fields.tsx'
import type { RegistrationPageView } from './view.ts'

/** Lets participants choose which fields exhibitors see when they scan the badge. A separate page changes this choice later. */
export function LeadSharingChoice({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'sharing'> }) {
  const { say } = view.site.words
  return (
    <>
      <FieldGroup field={{ name: `sharing-${widget.id}`, label: say('register.sharing'), help: say('register.sharingHelp') }} helpFirst>
        <div class="stack">
          {listShareableLeadFields(view, widget).map((lead) => (
            <LeadSharingField site={view.site} lead={lead} name={NON_ANSWER_FORM_FIELDS.sharing(lead.field)} />
          ))}
        </div>
      </FieldGroup>
      {widget.askVisible ? (
        <>
          <hr />
          <FieldGroup field={{ name: `visible-${widget.id}`, label: say('sharing.others') }}>
            <Checkbox
              name={NON_ANSWER_FORM_FIELDS.sharing(PARTICIPANT_VISIBILITY_FIELD)}
              value="share"
              label={say('register.visible')}
              checked={view.valueOf(NON_ANSWER_FORM_FIELDS.sharing(PARTICIPANT_VISIBILITY_FIELD))[0] === 'share'}
            />
          </FieldGroup>
        </>
      ) : null}
    </>
  )
}

/** Lists the fields of the widget that the participant decides about, with the choices. */
export const listShareableLeadFields = (view: RegistrationPageView, widget: WidgetOfType<'sharing'>) =>
  listLeadFields(view.config, choicesIn(view, widget)).filter(({ field, always }) => widget.fields.includes(field) && !always)

/** Returns the submitted or saved choices, else the defaults of the widget. */
function choicesIn(
  { valueOf, progress }: RegistrationPageView,
  { id, fields, default: proposed }: WidgetOfType<'sharing'>,
): LeadSharingChoices {
  const page = progress.flow.pages.find(({ widgets }) => widgets.some((widget) => widget.id === id))
  const isNew = !page || !progress.stored.pages_done.includes(page.code)
  const chosen = fields.map((field): [string, string] => [
    field,
    valueOf(NON_ANSWER_FORM_FIELDS.sharing(field))[0] ?? (isNew ? proposed : 'default'),
  ])
  return Object.fromEntries(chosen.filter((one): one is [string, 'share' | 'restrict'] => one[1] === 'share' || one[1] === 'restrict'))
}
