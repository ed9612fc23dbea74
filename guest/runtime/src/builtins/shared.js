// What array.js and typed_array.js share; it stands before each of them.

// Sorts a fresh dense array in which undefined comes last already: merge sort, stable, bottom up from short runs that
// are sorted by insertion. Neighbouring runs that are in order are not merged, so sorted input takes linear time.
function mergeSort(items, comparator) {
  if ($sortNumbers(items, comparator)) {
    return items;
  }
  let count = items.length;
  while (count > 0 && items[count - 1] === void 0) {
    count--;
  }
  for (let start = 0; start < count; start += 8) {
    const end = start + 8 < count ? start + 8 : count;
    for (let i = start + 1; i < end; i++) {
      const value = items[i];
      let j = i - 1;
      while (j >= start && +$call(comparator, void 0, items[j], value) > 0) {
        items[j + 1] = items[j];
        j--;
      }
      items[j + 1] = value;
    }
  }
  if (count <= 8) {
    return items;
  }
  let from = items;
  let to = [];
  const total = items.length;
  for (let i = 0; i < total; i++) {
    $push(to, items[i]);
  }
  for (let width = 8; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = start + width < count ? start + width : count;
      const end = middle + width < count ? middle + width : count;
      let left = start;
      let right = middle;
      let k = start;
      if (middle < end && +$call(comparator, void 0, from[middle - 1], from[middle]) > 0) {
        while (left < middle && right < end) {
          if (+$call(comparator, void 0, from[left], from[right]) > 0) {
            to[k] = from[right];
            right++;
          } else {
            to[k] = from[left];
            left++;
          }
          k++;
        }
      }
      for (; left < middle; left++) {
        to[k] = from[left];
        k++;
      }
      for (; right < end; right++) {
        to[k] = from[right];
        k++;
      }
    }
    const other = from;
    from = to;
    to = other;
  }
  return from;
}

// An iterable that calls `method` of `items` for its iterator, for what has looked the method up already.
function iterableOf(kind, method, items) {
  if (kind === "iterator" && $isPristineArray(items)) {
    return items;
  }
  const iterable = $newObject(null);
  $defineProperty(iterable, $builtin("%Symbol%")[kind], 7, () => $call(method, items));
  return iterable;
}
