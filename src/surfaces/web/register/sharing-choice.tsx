import { FIELDS, VISIBLE } from '../../../domains/checkout/sent-page.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { leadFieldsOf, type Sharing } from '../../../domains/configuration/sharing.ts'
import { Checkbox } from '../components/forms.tsx'
import { ShareField } from '../event/share-field.tsx'
import { Group } from './fields.tsx'
import type { View } from './view.ts'

/** Field by field what exhibitors who scan a badge are told, as on the page of its own that everybody has later. */
export function SharingChoice({ view, widget }: { view: View; widget: WidgetOf<'sharing'> }) {
  const { say } = view.place.words
  return (
    <Group field={{ name: `sharing-${widget.id}`, label: say('register.sharing'), help: say('register.sharingHelp') }}>
      <div class="stack">
        {leadFieldsOf(view.config, choicesIn(view, widget))
          .filter(({ field }) => widget.fields.includes(field))
          .map((lead) => (
            <ShareField place={view.place} lead={lead} name={FIELDS.sharing(lead.field)} />
          ))}
      </div>
      {widget.askVisible ? (
        <Checkbox
          name={FIELDS.sharing(VISIBLE)}
          value="share"
          label={say('register.visible')}
          checked={view.valueOf(FIELDS.sharing(VISIBLE))[0] === 'share'}
        />
      ) : null}
    </Group>
  )
}

/** As it was sent or is kept; before that as the form proposes. */
function choicesIn({ valueOf, progress }: View, { id, fields, default: proposed }: WidgetOf<'sharing'>): Sharing {
  const page = progress.flow.pages.find(({ widgets }) => widgets.some((widget) => widget.id === id))
  const isNew = !page || !progress.kept.pages_done.includes(page.code)
  const chosen = fields.map((field): [string, string] => [field, valueOf(FIELDS.sharing(field))[0] ?? (isNew ? proposed : 'default')])
  return Object.fromEntries(chosen.filter((one): one is [string, 'share' | 'restrict'] => one[1] === 'share' || one[1] === 'restrict'))
}
