import { hashCanonicalJson } from '../../../src/kernel/canonical.ts'
import { newId } from '../../../src/kernel/ids.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

/** Inserts three published versions directly: other examples may have left a draft that cannot be published. */
async function threeVersions(stage: Stage): Promise<void> {
  const { tenantId, eventId } = stage.home
  const { pool } = stage.world.database
  const { rows } = await pool.query<{ number: number }>(`select number from config_versions where tenant_id = $1 and event_id = $2`, [
    tenantId,
    eventId,
  ])
  for (let number = rows.length + 1; number <= 3; number++) {
    const document = {
      details: { name: stage.text(), startsOn: '2027-05-11', endsOn: '2027-05-11' },
      tags: ['vip', 'press', 'member', 'speaker'].map((code) => ({ code, name: stage.text() })),
    }
    await pool.query(
      `insert into config_versions (tenant_id, event_id, number, id, document, sha256, note, published_by_name, app_name, counts)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 'Test app', '{"flows":0}')`,
      [
        tenantId,
        eventId,
        number,
        newId(),
        JSON.stringify(document),
        hashCanonicalJson(document).toString('hex'),
        stage.text(),
        stage.text(),
      ],
    )
    await pool.query(`update events set published_version = $3 where tenant_id = $1 and id = $2`, [tenantId, eventId, number])
  }
}

export const VERSION_EXAMPLES: Examples = {
  list_versions: async (stage) => {
    await threeVersions(stage)
    return event(stage)
  },
  diff_versions: [
    async (stage) => {
      await threeVersions(stage)
      return { ...event(stage), from: '1', to: '2' }
    },
    async (stage) => {
      await threeVersions(stage)
      return { ...event(stage), from: '1', to: '2', path: '/tags', format: 'text' }
    },
  ],
}
