/** The `yardstick` key of a results file: what was measured, on what, and how far the adapter was checked. */
import { measuredWeights, modelFormat } from '../analysis/scores/measured-weights.ts'
import type { Json } from '../base/errors.ts'
import type { ExcludedDoc } from '../contracts/built-task.ts'
import type { EngineFacts, FastScoring } from '../contracts/engine.ts'
import type { RunManifest } from '../contracts/runs.ts'

/** How sampled texts come about; greedy ones don't use it. */
const sampler = 'mulberry32; seed: the first 32 bits of SHA-256 over [torch_seed, task, doc_id, idx, repeat] as JSON'

function writesTexts({ tasks }: RunManifest): boolean {
  return Object.values(tasks).some(({ config }) => {
    const type = typeof config === 'object' && config !== null && 'output_type' in config ? config.output_type : 'generate_until'
    return type === 'generate_until'
  })
}

function describeFast({ layout, cut, check }: FastScoring): { readonly [key: string]: Json } {
  return {
    run_tokens: layout.tokens,
    run_rows: layout.rows,
    packs_branches: layout.packs,
    text_tokens_together: layout.textTokens ?? 0,
    keeps_prefixes: layout.shares,
    ...(layout.inPlace === true ? { keys_and_values_in_place: true } : {}),
    ...(layout.splitsAttention === true ? { splits_attention: true } : {}),
    rows_taken: cut === 'hidden' ? 'before the projection' : 'after the projection',
    check: { sequences: check.sequences, tokens: check.tokens, max_abs_diff: check.maxAbsDiff, max_sum_diff: check.maxSumDiff },
  }
}

function describeAdapter(adapter: EngineFacts['adapter']): Json {
  if (adapter === null) return null
  const { features, limits, ...named } = adapter
  return {
    ...named,
    ...(features === undefined ? {} : { features }),
    ...(limits === undefined
      ? {}
      : {
          limits: {
            max_buffer_bytes: limits.maxBufferBytes,
            max_storage_buffer_binding_bytes: limits.maxStorageBufferBindingBytes,
            max_workgroup_storage_bytes: limits.maxWorkgroupStorageBytes,
            max_workgroup_threads: limits.maxWorkgroupThreads,
            subgroup_sizes: limits.subgroupSizes,
          },
        }),
  }
}

/** Holds no times, counts of work or run id: a resumed run's file equals an uninterrupted run's. */
export function provenanceOf(manifest: RunManifest, excluded: readonly ExcludedDoc[] = []): { readonly [key: string]: Json } {
  const { engine, model, tokenizer } = manifest
  return {
    schema_version: manifest.schemaVersion,
    app: { version: manifest.app.version, build: manifest.app.build },
    model: {
      id: model.id,
      requested_revision: model.revision,
      commit: model.commit,
      license: model.license,
      files: model.files.map((file) => ({ path: file.path, bytes: file.bytes, sha256: file.sha256 })),
    },
    model_format: modelFormat(manifest),
    measured: measuredWeights(manifest),
    dtype: engine.dtype,
    device: engine.device,
    device_reason: engine.deviceReason,
    adapter: describeAdapter(engine.adapter),
    ...(engine.switches === undefined ? {} : { browser_switches: engine.switches }),
    engine: engine.engine,
    threads: engine.threads,
    scoring: engine.scoring,
    ...(engine.scoringReason === undefined ? {} : { scoring_reason: engine.scoringReason }),
    ...(engine.fast === undefined ? {} : { fast_scoring: describeFast(engine.fast) }),
    graph_family: engine.family,
    ...(engine.attention === undefined ? {} : { attn_implementation: engine.attention }),
    chunk_tokens: engine.chunkTokens,
    dynamically_quantised: engine.isDynamicallyQuantised,
    ...(engine.unpackedProducts === undefined ? {} : { unpacked_products: { ...engine.unpackedProducts } }),
    self_check: {
      status: engine.selfCheck.status,
      max_abs_diff: engine.selfCheck.maxAbsDiff,
      tolerance: engine.selfCheck.tolerance,
      max_run_tokens: engine.selfCheck.maxRunTokens,
      reference: engine.selfCheck.reference,
      trials: engine.selfCheck.trials.map((trial) => ({ run_tokens: trial.runTokens, max_abs_diff: trial.maxAbsDiff })),
    },
    tokenizer: {
      sha256: tokenizer.sha256,
      max_length: tokenizer.maxLength,
      ...(model.tokenizerSource === undefined ? {} : { source: { ...model.tokenizerSource } }),
    },
    datasets: Object.fromEntries(
      Object.entries(manifest.datasets).map(([task, origin]) => [
        task,
        {
          path: origin.path,
          name: origin.name,
          commit: origin.commit,
          files: origin.files.map((file) => ({ path: file.path, bytes: file.bytes, sha256: file.sha256 })),
          ...(origin.warnings === undefined ? {} : { warnings: origin.warnings }),
        },
      ]),
    ),
    tasks: Object.fromEntries(
      Object.entries(manifest.tasks).map(([task, { sha256, warnings }]) => [
        task,
        { sha256, ...(warnings === undefined ? {} : { warnings }) },
      ]),
    ),
    ...(excluded.length === 0
      ? {}
      : {
          left_out: excluded.map(({ task, docId, filter, pattern, message }) => ({
            task,
            doc_id: docId,
            filter,
            pattern,
            reason: message,
          })),
        }),
    ...(writesTexts(manifest) ? { sampler } : {}),
    plan_hash: manifest.plan.hash,
    trust: 'self-reported',
  }
}
