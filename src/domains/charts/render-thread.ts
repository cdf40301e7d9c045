import { parentPort } from 'node:worker_threads'
import type { RenderTaskResult, RenderTask } from './render-in-thread.ts'
import { renderScene } from './render.ts'

/** Resolves when the last chart is rendered. Charts are rendered one after another in this thread. */
let last: Promise<void> = Promise.resolve()

parentPort!.on('message', ({ id, scene }: RenderTask) => {
  last = last.then(async () => parentPort!.postMessage(await render(id, scene)))
})

async function render(id: number, scene: RenderTask['scene']): Promise<RenderTaskResult> {
  try {
    return { id, svg: await renderScene(scene) }
  } catch (error) {
    return { id, failed: (error as Error).stack ?? String(error) }
  }
}
