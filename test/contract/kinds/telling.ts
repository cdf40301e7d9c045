import { expect, it } from 'vitest'
import { problemsIn } from '../performed.ts'
import type { Kind } from './kind.ts'

export const telling: Kind = ({ performed }) => {
  it('tell integrators of every record that programs read otherwise afterwards, and of all that differs', async () => {
    expect(problemsIn(await performed(), ({ silences }) => silences)).toEqual([])
  })
}
