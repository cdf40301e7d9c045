/**
 * The longest time that `run` blocked the event loop, in milliseconds of this thread's CPU time, so that other work on the machine does
 * not count.
 */
export async function measureLongestBlockMs(run: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = process.threadCpuUsage()
  let watching = true
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (watching) setImmediate(look)
  }
  setImmediate(look)
  try {
    await run()
  } finally {
    look()
    watching = false
  }
  return longest
}
