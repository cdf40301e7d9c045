import { Input, Select, TextArea } from '../components/forms.tsx'
import { findErrorMessage, type RegistrationPageView } from './view.ts'

const REQUESTS = '@housing.requests'
const LOYALTY = '@housing.loyaltyNumber'
const SMOKING = '@housing.smoking'
const SHARE = '@housing.shareWith'

/** Optional details of the room, collapsed unless they hold a value or an error. */
export function RoomDetailFields({ view, allowShare }: { view: RegistrationPageView; allowShare: boolean }) {
  const { say } = view.site.words
  const value = (name: string) => view.valueOf(name)[0]
  const hasRoom = view.progress.answers['@housing.hotelId'] != null
  const names = [REQUESTS, LOYALTY, SMOKING, ...(allowShare && hasRoom ? [SHARE] : [])]
  const optional = say('field.optional')
  return (
    <details open={names.some((name) => Boolean(value(name)) || findErrorMessage(view, name) !== undefined)}>
      <summary>{say('room.more')}</summary>
      <div class="stack">
        {allowShare ? (
          <Input
            name={SHARE}
            label={say('housing.shareWith')}
            help={say('room.inviteHelp')}
            optional={optional}
            value={hasRoom ? value(SHARE) : undefined}
            error={findErrorMessage(view, SHARE)}
            autocomplete="off"
            maxlength={254}
          />
        ) : null}
        <TextArea
          name={REQUESTS}
          label={say('housing.requests')}
          optional={optional}
          value={value(REQUESTS)}
          rows={3}
          error={findErrorMessage(view, REQUESTS)}
        />
        <Input
          name={LOYALTY}
          label={say('housing.loyaltyNumber')}
          optional={optional}
          value={value(LOYALTY)}
          autocomplete="off"
          maxlength={60}
          error={findErrorMessage(view, LOYALTY)}
        />
        <Select
          name={SMOKING}
          label={say('housing.smoking')}
          optional={optional}
          value={value(SMOKING) ?? ''}
          options={[
            { value: '', label: say('room.anyBed') },
            { value: 'false', label: say('room.nonSmoking') },
            { value: 'true', label: say('room.smoking') },
          ]}
        />
      </div>
    </details>
  )
}
