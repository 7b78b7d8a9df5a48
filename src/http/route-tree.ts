// Finds what answers a path: a tree of segments, which for a handful of segments costs less than any pattern.

export interface RouteTree<Target> {
  /** Adds a path with `{parameters}`. Of two paths that fit, the one with fixed segments further left wins. */
  add(path: string, target: Target): void;
  /** What was added for this path, with its parameters as they stand in it. */
  find(path: string): { target: Target; params: Record<string, string> } | undefined;
}

interface Node<Target> {
  fixed: Map<string, Node<Target>>;
  parameter: Node<Target> | undefined;
  end: { target: Target; names: readonly string[] } | undefined;
}

/** An empty tree. */
export function createRouteTree<Target>(): RouteTree<Target> {
  const root = createNode<Target>();

  return {
    add(path, target) {
      const names: string[] = [];
      let node = root;
      for (const segment of path.slice(1).split('/')) {
        const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
        if (name !== undefined) names.push(name);
        node = name === undefined ? fixedChild(node, segment) : parameterChild(node);
      }
      node.end = { target, names };
    },
    find(path) {
      const values: string[] = [];
      const end = descend(root, path, 1, values);
      if (end === undefined) return undefined;
      const params: Record<string, string> = {};
      for (let index = 0; index < values.length; index += 1) params[end.names[index] ?? ''] = values[index] ?? '';
      return { target: end.target, params };
    },
  };
}

function createNode<Target>(): Node<Target> {
  return { fixed: new Map(), parameter: undefined, end: undefined };
}

function fixedChild<Target>(node: Node<Target>, segment: string): Node<Target> {
  const known = node.fixed.get(segment);
  if (known !== undefined) return known;
  const made = createNode<Target>();
  node.fixed.set(segment, made);
  return made;
}

function parameterChild<Target>(node: Node<Target>): Node<Target> {
  node.parameter ??= createNode();
  return node.parameter;
}

/** Walks the segments from `start` on; a parameter fits any segment that is not empty. Depth is bounded by that of the tree. */
function descend<Target>(node: Node<Target>, path: string, start: number, values: string[]): Node<Target>['end'] {
  const slash = path.indexOf('/', start);
  const stop = slash < 0 ? path.length : slash;
  const segment = path.slice(start, stop);
  const isLast = slash < 0;
  const fixed = node.fixed.get(segment);
  const found = fixed && (isLast ? fixed.end : descend(fixed, path, stop + 1, values));
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  const depth = values.push(segment);
  const fitting = isLast ? node.parameter.end : descend(node.parameter, path, stop + 1, values);
  if (fitting === undefined) values.length = depth - 1;
  return fitting;
}
