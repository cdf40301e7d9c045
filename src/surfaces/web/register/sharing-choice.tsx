import { FIELDS, VISIBLE } from '../../../domains/checkout/sent-page.ts'
import type { WidgetOf } from '../../../domains/configuration/schema/widgets.ts'
import { Checkbox, Select } from '../components/forms.tsx'
import { Group } from './fields.tsx'
import type { View } from './view.ts'
import { labelFor } from './words.ts'

/** Field by field what exhibitors who scan a badge are told. */
export function SharingChoice({ view, widget }: { view: View; widget: WidgetOf<'sharing'> }) {
  const { words } = view.place
  const { say } = words
  const choices = [
    { value: '', label: say('register.asOrganizer') },
    { value: 'share', label: say('register.share') },
    { value: 'restrict', label: say('register.restrict') },
  ]
  const labelOfField = (field: string) =>
    labelFor(words, view.config, field.startsWith('cf:') ? `@custom.${field.slice(3)}` : `@participant.${field}`)
  const kept = (field: string) => view.valueOf(FIELDS.sharing(field))[0] ?? (widget.default === 'organizer' ? '' : widget.default)
  return (
    <Group field={{ name: `sharing-${widget.id}`, label: say('register.sharing'), help: say('register.sharingHelp') }}>
      <div class="fields">
        {widget.fields.map((field) => (
          <div class="half">
            <Select name={FIELDS.sharing(field)} label={labelOfField(field)} value={kept(field)} options={choices} />
          </div>
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
