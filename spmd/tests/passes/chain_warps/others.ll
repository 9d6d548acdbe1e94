; stack: flat
; What asks for the mask of a warp, has variables elsewhere than at its beginning, or does more than find the frame before it
; knows where to go on, stays as it is; and so does a part of a function that has its attribute.
declare void @effect()

define void @masked(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="masked" {
enter:
  %frame = load ptr, ptr %round
  %place = load i32, ptr %frame
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:
  store i32 %mask, ptr %frame
  br label %second

second:
  ret void
}

define void @variable(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="variable" {
enter:
  %frame = load ptr, ptr %round
  %place = load i32, ptr %frame
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:
  %later = alloca i32
  store i32 1, ptr %later
  br label %second

second:
  ret void
}

define void @effects(ptr %block, i32 %warp, i32 %mask, ptr %round) "warp-returns"="effects" {
enter:
  %frame = load ptr, ptr %round
  call void @effect()
  %place = load i32, ptr %frame
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:
  store i32 1, ptr %frame
  br label %second

second:
  ret void
}

define void @part(ptr %block, i32 %warp, i32 %unused, ptr %round) "warp-returns"="whole" {
enter:
  %frame = load ptr, ptr %round
  %place = load i32, ptr %frame
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:
  store i32 1, ptr %frame
  br label %second

second:
  ret void
}

; becomes

declare void @effect()

define void @masked(ptr %block, i32 %warp, i32 %mask, ptr %round) #0 {
enter:
  %frame = load ptr, ptr %round, align 8
  %place = load i32, ptr %frame, align 4
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:                                            ; preds = %enter
  store i32 %mask, ptr %frame, align 4
  br label %second

second:                                           ; preds = %first, %enter
  ret void
}

define void @variable(ptr %block, i32 %warp, i32 %mask, ptr %round) #1 {
enter:
  %frame = load ptr, ptr %round, align 8
  %place = load i32, ptr %frame, align 4
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:                                            ; preds = %enter
  %later = alloca i32, align 4
  store i32 1, ptr %later, align 4
  br label %second

second:                                           ; preds = %first, %enter
  ret void
}

define void @effects(ptr %block, i32 %warp, i32 %mask, ptr %round) #2 {
enter:
  %frame = load ptr, ptr %round, align 8
  call void @effect()
  %place = load i32, ptr %frame, align 4
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:                                            ; preds = %enter
  store i32 1, ptr %frame, align 4
  br label %second

second:                                           ; preds = %first, %enter
  ret void
}

define void @part(ptr %block, i32 %warp, i32 %unused, ptr %round) #3 {
enter:
  %frame = load ptr, ptr %round, align 8
  %place = load i32, ptr %frame, align 4
  switch i32 %place, label %first [
    i32 1, label %second
  ]

first:                                            ; preds = %enter
  store i32 1, ptr %frame, align 4
  br label %second

second:                                           ; preds = %first, %enter
  ret void
}

attributes #0 = { "warp-returns"="masked" }
attributes #1 = { "warp-returns"="variable" }
attributes #2 = { "warp-returns"="effects" }
attributes #3 = { "warp-returns"="whole" }
