/** Texts of what can be asked for while a run goes on; loaded with the run page. `{name}` is filled in by `fill`. */
export const whileTexts = {
  heading: 'While it goes on',
  awake: 'Keep the screen on until it ends',
  notify: 'Notify me when it ends',
  refused: 'The browser doesn’t allow notifications of this page; its site settings change that.',
  complete: 'The run is complete',
  interrupted: 'The run was interrupted',
  failed: 'The run failed',
  body: '{model}: {tasks}',
} as const
