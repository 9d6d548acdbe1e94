; stack: flat
; cpu: x86-64-v3
; Loads whose rows may begin again are looked at by one check, unless something may be written between them, or what one is made
; of is made behind the other.
declare <32 x i8> @spmd.gather.8(<32 x ptr>, i32)

define <32 x i8> @neighbours(ptr %base, i64 %other, i32 %x, i32 %y, i32 %z) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %y.first = insertelement <32 x i32> poison, i32 %y, i64 0
  %y.all = shufflevector <32 x i32> %y.first, <32 x i32> poison, <32 x i32> zeroinitializer
  %z.first = insertelement <32 x i32> poison, i32 %z, i64 0
  %z.all = shufflevector <32 x i32> %z.first, <32 x i32> poison, <32 x i32> zeroinitializer
  %left.next = add <32 x i32> %all, <i32 -1, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30>
  %left.low = and <32 x i32> %left.next, splat (i32 1023)
  %left.index = or disjoint <32 x i32> %left.low, %y.all
  %left.wide = sext <32 x i32> %left.index to <32 x i64>
  %left.places = getelementptr i8, ptr %base, <32 x i64> %left.wide
  %left = call <32 x i8> @spmd.gather.8(<32 x ptr> %left.places, i32 -1)
  %right.next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %right.low = and <32 x i32> %right.next, splat (i32 1023)
  %right.index = or disjoint <32 x i32> %right.low, %y.all
  %right.wide = sext <32 x i32> %right.index to <32 x i64>
  %right.places = getelementptr i8, ptr %base, <32 x i64> %right.wide
  %right = call <32 x i8> @spmd.gather.8(<32 x ptr> %right.places, i32 -1)
  %other.place = add i64 %other, 7
  %other.base = inttoptr i64 %other.place to ptr
  %below.next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %below.low = and <32 x i32> %below.next, splat (i32 1023)
  %below.index = add <32 x i32> %below.low, %z.all
  %below.wide = sext <32 x i32> %below.index to <32 x i64>
  %below.places = getelementptr i8, ptr %other.base, <32 x i64> %below.wide
  %below = call <32 x i8> @spmd.gather.8(<32 x ptr> %below.places, i32 -1)
  %sum = add <32 x i8> %left, %right
  %sum.3 = add <32 x i8> %sum, %below
  ret <32 x i8> %sum.3
}

define <32 x i8> @written(ptr %base, i32 %x, ptr %other) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %left.next = add <32 x i32> %all, <i32 -1, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30>
  %left.low = and <32 x i32> %left.next, splat (i32 1023)
  %left.wide = sext <32 x i32> %left.low to <32 x i64>
  %left.places = getelementptr i8, ptr %base, <32 x i64> %left.wide
  %left = call <32 x i8> @spmd.gather.8(<32 x ptr> %left.places, i32 -1)
  store i8 1, ptr %other, align 1
  %right.next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %right.low = and <32 x i32> %right.next, splat (i32 1023)
  %right.wide = sext <32 x i32> %right.low to <32 x i64>
  %right.places = getelementptr i8, ptr %base, <32 x i64> %right.wide
  %right = call <32 x i8> @spmd.gather.8(<32 x ptr> %right.places, i32 -1)
  %sum = add <32 x i8> %left, %right
  ret <32 x i8> %sum
}

define <32 x i8> @made_behind(ptr %base, i32 %x) {
  %first = insertelement <32 x i32> poison, i32 %x, i64 0
  %all = shufflevector <32 x i32> %first, <32 x i32> poison, <32 x i32> zeroinitializer
  %left.next = add <32 x i32> %all, <i32 -1, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30>
  %left.low = and <32 x i32> %left.next, splat (i32 1023)
  %left.wide = sext <32 x i32> %left.low to <32 x i64>
  %left.places = getelementptr i8, ptr %base, <32 x i64> %left.wide
  %left = call <32 x i8> @spmd.gather.8(<32 x ptr> %left.places, i32 -1)
  %y.byte = extractelement <32 x i8> %left, i64 0
  %y.word = zext i8 %y.byte to i32
  %y = shl i32 %y.word, 10
  %y.first = insertelement <32 x i32> poison, i32 %y, i64 0
  %y.all = shufflevector <32 x i32> %y.first, <32 x i32> poison, <32 x i32> zeroinitializer
  %right.next = add <32 x i32> %all, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %right.low = and <32 x i32> %right.next, splat (i32 1023)
  %right.index = or disjoint <32 x i32> %right.low, %y.all
  %right.wide = sext <32 x i32> %right.index to <32 x i64>
  %right.places = getelementptr i8, ptr %base, <32 x i64> %right.wide
  %right = call <32 x i8> @spmd.gather.8(<32 x ptr> %right.places, i32 -1)
  %sum = add <32 x i8> %left, %right
  ret <32 x i8> %sum
}

; becomes

declare <32 x i8> @spmd.gather.8(<32 x ptr>, i32)

define <32 x i8> @neighbours(ptr %base, i64 %other, i32 %x, i32 %y, i32 %z) {
  %1 = alloca [2 x <32 x i8>], align 32
  %2 = alloca [2 x <32 x i8>], align 32
  %3 = alloca [2 x <32 x i8>], align 32
  %4 = add i64 %other, 7
  %5 = inttoptr i64 %4 to ptr
  %6 = freeze i32 %x
  %7 = add i32 %6, -1
  %8 = and i32 %7, 1023
  %9 = freeze i32 %y
  %10 = add i32 %8, %9
  %11 = freeze i32 %x
  %12 = add i32 %11, 1
  %13 = and i32 %12, 1023
  %14 = freeze i32 %y
  %15 = add i32 %13, %14
  %16 = freeze i32 %x
  %17 = add i32 %16, 1
  %18 = and i32 %17, 1023
  %19 = freeze i32 %z
  %20 = add i32 %18, %19
  %21 = icmp ule i32 %8, 992
  %22 = icmp ule i32 %13, 992
  %23 = add i32 %20, 31
  %24 = icmp sle i32 %20, %23
  %25 = and i1 %21, %22
  %26 = and i1 %25, %24
  br i1 %26, label %rows, label %44

27:                                               ; preds = %apart, %rows
  %28 = phi <32 x i8> [ %34, %rows ], [ %94, %apart ]
  %29 = phi <32 x i8> [ %38, %rows ], [ %144, %apart ]
  %30 = phi <32 x i8> [ %42, %rows ], [ %43, %apart ]
  %sum = add <32 x i8> %28, %29
  %sum.3 = add <32 x i8> %sum, %30
  ret <32 x i8> %sum.3

rows:                                             ; preds = %0
  %31 = sext i32 %10 to i64
  %32 = mul i64 %31, 1
  %33 = getelementptr i8, ptr %base, i64 %32
  %34 = load <32 x i8>, ptr %33, align 1
  %35 = sext i32 %15 to i64
  %36 = mul i64 %35, 1
  %37 = getelementptr i8, ptr %base, i64 %36
  %38 = load <32 x i8>, ptr %37, align 1
  %39 = sext i32 %20 to i64
  %40 = mul i64 %39, 1
  %41 = getelementptr i8, ptr %5, i64 %40
  %42 = load <32 x i8>, ptr %41, align 1
  br label %27

apart:                                            ; preds = %apart10, %two.rows9, %row7
  %43 = phi <32 x i8> [ %157, %row7 ], [ %182, %two.rows9 ], [ %192, %apart10 ]
  br label %27

44:                                               ; preds = %0
  %45 = freeze i32 %x
  %46 = add i32 %45, -1
  %47 = and i32 %46, 1023
  %48 = freeze i32 %y
  %49 = add i32 %47, %48
  %50 = icmp ule i32 %47, 992
  %51 = add i32 %49, 31
  %52 = icmp sle i32 %49, %51
  %53 = and i1 %50, %52
  br i1 %53, label %row, label %apart1

row:                                              ; preds = %44
  %54 = sext i32 %49 to i64
  %55 = mul i64 %54, 1
  %56 = getelementptr i8, ptr %base, i64 %55
  %57 = load <32 x i8>, ptr %56, align 1
  br label %93

apart1:                                           ; preds = %44
  %58 = add i32 %48, 1023
  %59 = icmp sle i32 %48, %58
  %60 = sub i32 %58, 31
  %61 = sext i32 %60 to i64
  %62 = sext i32 %48 to i64
  %63 = mul i64 %61, 1
  %64 = getelementptr i8, ptr %base, i64 %63
  %65 = mul i64 %62, 1
  %66 = getelementptr i8, ptr %base, i64 %65
  %67 = ptrtoint ptr %64 to i64
  %68 = and i64 %67, 4095
  %69 = icmp ule i64 %68, 4064
  %70 = ptrtoint ptr %66 to i64
  %71 = and i64 %70, 4095
  %72 = icmp ule i64 %71, 4064
  %73 = and i1 %69, %72
  %74 = and i1 %59, %73
  br i1 %74, label %two.rows, label %apart2

two.rows:                                         ; preds = %apart1
  %75 = getelementptr i8, ptr %3, i64 32
  %76 = load <32 x i8>, ptr %64, align 1
  store <32 x i8> %76, ptr %3, align 1
  %77 = load <32 x i8>, ptr %66, align 1
  store <32 x i8> %77, ptr %75, align 1
  %78 = sub i32 %47, 992
  %79 = zext i32 %78 to i64
  %80 = mul i64 %79, 1
  %81 = getelementptr i8, ptr %3, i64 %80
  %82 = load <32 x i8>, ptr %81, align 1
  br label %93

apart2:                                           ; preds = %apart1
  %83 = insertelement <32 x i32> poison, i32 %x, i64 0
  %84 = shufflevector <32 x i32> %83, <32 x i32> poison, <32 x i32> zeroinitializer
  %85 = add <32 x i32> %84, <i32 -1, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30>
  %86 = and <32 x i32> %85, splat (i32 1023)
  %87 = insertelement <32 x i32> poison, i32 %y, i64 0
  %88 = shufflevector <32 x i32> %87, <32 x i32> poison, <32 x i32> zeroinitializer
  %89 = or disjoint <32 x i32> %86, %88
  %90 = sext <32 x i32> %89 to <32 x i64>
  %91 = getelementptr i8, ptr %base, <32 x i64> %90
  %92 = call <32 x i8> @spmd.gather.8(<32 x ptr> %91, i32 -1) #0
  br label %93

93:                                               ; preds = %apart2, %two.rows, %row
  %94 = phi <32 x i8> [ %57, %row ], [ %82, %two.rows ], [ %92, %apart2 ]
  %95 = freeze i32 %x
  %96 = add i32 %95, 1
  %97 = and i32 %96, 1023
  %98 = freeze i32 %y
  %99 = add i32 %97, %98
  %100 = icmp ule i32 %97, 992
  %101 = add i32 %99, 31
  %102 = icmp sle i32 %99, %101
  %103 = and i1 %100, %102
  br i1 %103, label %row3, label %apart4

row3:                                             ; preds = %93
  %104 = sext i32 %99 to i64
  %105 = mul i64 %104, 1
  %106 = getelementptr i8, ptr %base, i64 %105
  %107 = load <32 x i8>, ptr %106, align 1
  br label %143

apart4:                                           ; preds = %93
  %108 = add i32 %98, 1023
  %109 = icmp sle i32 %98, %108
  %110 = sub i32 %108, 31
  %111 = sext i32 %110 to i64
  %112 = sext i32 %98 to i64
  %113 = mul i64 %111, 1
  %114 = getelementptr i8, ptr %base, i64 %113
  %115 = mul i64 %112, 1
  %116 = getelementptr i8, ptr %base, i64 %115
  %117 = ptrtoint ptr %114 to i64
  %118 = and i64 %117, 4095
  %119 = icmp ule i64 %118, 4064
  %120 = ptrtoint ptr %116 to i64
  %121 = and i64 %120, 4095
  %122 = icmp ule i64 %121, 4064
  %123 = and i1 %119, %122
  %124 = and i1 %109, %123
  br i1 %124, label %two.rows5, label %apart6

two.rows5:                                        ; preds = %apart4
  %125 = getelementptr i8, ptr %2, i64 32
  %126 = load <32 x i8>, ptr %114, align 1
  store <32 x i8> %126, ptr %2, align 1
  %127 = load <32 x i8>, ptr %116, align 1
  store <32 x i8> %127, ptr %125, align 1
  %128 = sub i32 %97, 992
  %129 = zext i32 %128 to i64
  %130 = mul i64 %129, 1
  %131 = getelementptr i8, ptr %2, i64 %130
  %132 = load <32 x i8>, ptr %131, align 1
  br label %143

apart6:                                           ; preds = %apart4
  %133 = insertelement <32 x i32> poison, i32 %x, i64 0
  %134 = shufflevector <32 x i32> %133, <32 x i32> poison, <32 x i32> zeroinitializer
  %135 = add <32 x i32> %134, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %136 = and <32 x i32> %135, splat (i32 1023)
  %137 = insertelement <32 x i32> poison, i32 %y, i64 0
  %138 = shufflevector <32 x i32> %137, <32 x i32> poison, <32 x i32> zeroinitializer
  %139 = or disjoint <32 x i32> %136, %138
  %140 = sext <32 x i32> %139 to <32 x i64>
  %141 = getelementptr i8, ptr %base, <32 x i64> %140
  %142 = call <32 x i8> @spmd.gather.8(<32 x ptr> %141, i32 -1) #0
  br label %143

143:                                              ; preds = %apart6, %two.rows5, %row3
  %144 = phi <32 x i8> [ %107, %row3 ], [ %132, %two.rows5 ], [ %142, %apart6 ]
  %145 = freeze i32 %x
  %146 = add i32 %145, 1
  %147 = and i32 %146, 1023
  %148 = freeze i32 %z
  %149 = add i32 %147, %148
  %150 = icmp ule i32 %147, 992
  %151 = add i32 %149, 31
  %152 = icmp sle i32 %149, %151
  %153 = and i1 %150, %152
  br i1 %153, label %row7, label %apart8

row7:                                             ; preds = %143
  %154 = sext i32 %149 to i64
  %155 = mul i64 %154, 1
  %156 = getelementptr i8, ptr %5, i64 %155
  %157 = load <32 x i8>, ptr %156, align 1
  br label %apart

apart8:                                           ; preds = %143
  %158 = add i32 %148, 1023
  %159 = icmp sle i32 %148, %158
  %160 = sub i32 %158, 31
  %161 = sext i32 %160 to i64
  %162 = sext i32 %148 to i64
  %163 = mul i64 %161, 1
  %164 = getelementptr i8, ptr %5, i64 %163
  %165 = mul i64 %162, 1
  %166 = getelementptr i8, ptr %5, i64 %165
  %167 = ptrtoint ptr %164 to i64
  %168 = and i64 %167, 4095
  %169 = icmp ule i64 %168, 4064
  %170 = ptrtoint ptr %166 to i64
  %171 = and i64 %170, 4095
  %172 = icmp ule i64 %171, 4064
  %173 = and i1 %169, %172
  %174 = and i1 %159, %173
  br i1 %174, label %two.rows9, label %apart10

two.rows9:                                        ; preds = %apart8
  %175 = getelementptr i8, ptr %1, i64 32
  %176 = load <32 x i8>, ptr %164, align 1
  store <32 x i8> %176, ptr %1, align 1
  %177 = load <32 x i8>, ptr %166, align 1
  store <32 x i8> %177, ptr %175, align 1
  %178 = sub i32 %147, 992
  %179 = zext i32 %178 to i64
  %180 = mul i64 %179, 1
  %181 = getelementptr i8, ptr %1, i64 %180
  %182 = load <32 x i8>, ptr %181, align 1
  br label %apart

apart10:                                          ; preds = %apart8
  %183 = insertelement <32 x i32> poison, i32 %x, i64 0
  %184 = shufflevector <32 x i32> %183, <32 x i32> poison, <32 x i32> zeroinitializer
  %185 = add <32 x i32> %184, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %186 = and <32 x i32> %185, splat (i32 1023)
  %187 = insertelement <32 x i32> poison, i32 %z, i64 0
  %188 = shufflevector <32 x i32> %187, <32 x i32> poison, <32 x i32> zeroinitializer
  %189 = add <32 x i32> %186, %188
  %190 = sext <32 x i32> %189 to <32 x i64>
  %191 = getelementptr i8, ptr %5, <32 x i64> %190
  %192 = call <32 x i8> @spmd.gather.8(<32 x ptr> %191, i32 -1) #0
  br label %apart
}

define <32 x i8> @written(ptr %base, i32 %x, ptr %other) {
  %1 = alloca [2 x <32 x i8>], align 32
  %2 = alloca [2 x <32 x i8>], align 32
  %3 = freeze i32 %x
  %4 = add i32 %3, -1
  %5 = and i32 %4, 1023
  %6 = icmp ule i32 %5, 992
  %7 = add i32 %5, 31
  %8 = icmp sle i32 %5, %7
  %9 = and i1 %6, %8
  br i1 %9, label %row, label %apart

10:                                               ; preds = %apart5, %two.rows4, %row2
  %11 = phi <32 x i8> [ %53, %row2 ], [ %71, %two.rows4 ], [ %78, %apart5 ]
  %sum = add <32 x i8> %42, %11
  ret <32 x i8> %sum

row:                                              ; preds = %0
  %12 = sext i32 %5 to i64
  %13 = mul i64 %12, 1
  %14 = getelementptr i8, ptr %base, i64 %13
  %15 = load <32 x i8>, ptr %14, align 1
  br label %41

apart:                                            ; preds = %0
  %16 = getelementptr i8, ptr %base, i64 992
  %17 = getelementptr i8, ptr %base, i64 0
  %18 = ptrtoint ptr %16 to i64
  %19 = and i64 %18, 4095
  %20 = icmp ule i64 %19, 4064
  %21 = ptrtoint ptr %17 to i64
  %22 = and i64 %21, 4095
  %23 = icmp ule i64 %22, 4064
  %24 = and i1 %20, %23
  %25 = and i1 true, %24
  br i1 %25, label %two.rows, label %apart1

two.rows:                                         ; preds = %apart
  %26 = getelementptr i8, ptr %2, i64 32
  %27 = load <32 x i8>, ptr %16, align 1
  store <32 x i8> %27, ptr %2, align 1
  %28 = load <32 x i8>, ptr %17, align 1
  store <32 x i8> %28, ptr %26, align 1
  %29 = sub i32 %5, 992
  %30 = zext i32 %29 to i64
  %31 = mul i64 %30, 1
  %32 = getelementptr i8, ptr %2, i64 %31
  %33 = load <32 x i8>, ptr %32, align 1
  br label %41

apart1:                                           ; preds = %apart
  %34 = insertelement <32 x i32> poison, i32 %x, i64 0
  %35 = shufflevector <32 x i32> %34, <32 x i32> poison, <32 x i32> zeroinitializer
  %36 = add <32 x i32> %35, <i32 -1, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30>
  %37 = and <32 x i32> %36, splat (i32 1023)
  %38 = sext <32 x i32> %37 to <32 x i64>
  %39 = getelementptr i8, ptr %base, <32 x i64> %38
  %40 = call <32 x i8> @spmd.gather.8(<32 x ptr> %39, i32 -1) #0
  br label %41

41:                                               ; preds = %apart1, %two.rows, %row
  %42 = phi <32 x i8> [ %15, %row ], [ %33, %two.rows ], [ %40, %apart1 ]
  store i8 1, ptr %other, align 1
  %43 = freeze i32 %x
  %44 = add i32 %43, 1
  %45 = and i32 %44, 1023
  %46 = icmp ule i32 %45, 992
  %47 = add i32 %45, 31
  %48 = icmp sle i32 %45, %47
  %49 = and i1 %46, %48
  br i1 %49, label %row2, label %apart3

row2:                                             ; preds = %41
  %50 = sext i32 %45 to i64
  %51 = mul i64 %50, 1
  %52 = getelementptr i8, ptr %base, i64 %51
  %53 = load <32 x i8>, ptr %52, align 1
  br label %10

apart3:                                           ; preds = %41
  %54 = getelementptr i8, ptr %base, i64 992
  %55 = getelementptr i8, ptr %base, i64 0
  %56 = ptrtoint ptr %54 to i64
  %57 = and i64 %56, 4095
  %58 = icmp ule i64 %57, 4064
  %59 = ptrtoint ptr %55 to i64
  %60 = and i64 %59, 4095
  %61 = icmp ule i64 %60, 4064
  %62 = and i1 %58, %61
  %63 = and i1 true, %62
  br i1 %63, label %two.rows4, label %apart5

two.rows4:                                        ; preds = %apart3
  %64 = getelementptr i8, ptr %1, i64 32
  %65 = load <32 x i8>, ptr %54, align 1
  store <32 x i8> %65, ptr %1, align 1
  %66 = load <32 x i8>, ptr %55, align 1
  store <32 x i8> %66, ptr %64, align 1
  %67 = sub i32 %45, 992
  %68 = zext i32 %67 to i64
  %69 = mul i64 %68, 1
  %70 = getelementptr i8, ptr %1, i64 %69
  %71 = load <32 x i8>, ptr %70, align 1
  br label %10

apart5:                                           ; preds = %apart3
  %72 = insertelement <32 x i32> poison, i32 %x, i64 0
  %73 = shufflevector <32 x i32> %72, <32 x i32> poison, <32 x i32> zeroinitializer
  %74 = add <32 x i32> %73, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %75 = and <32 x i32> %74, splat (i32 1023)
  %76 = sext <32 x i32> %75 to <32 x i64>
  %77 = getelementptr i8, ptr %base, <32 x i64> %76
  %78 = call <32 x i8> @spmd.gather.8(<32 x ptr> %77, i32 -1) #0
  br label %10
}

define <32 x i8> @made_behind(ptr %base, i32 %x) {
  %1 = alloca [2 x <32 x i8>], align 32
  %2 = alloca [2 x <32 x i8>], align 32
  %3 = freeze i32 %x
  %4 = add i32 %3, -1
  %5 = and i32 %4, 1023
  %6 = icmp ule i32 %5, 992
  %7 = add i32 %5, 31
  %8 = icmp sle i32 %5, %7
  %9 = and i1 %6, %8
  br i1 %9, label %row, label %apart

10:                                               ; preds = %apart5, %two.rows4, %row2
  %11 = phi <32 x i8> [ %58, %row2 ], [ %83, %two.rows4 ], [ %93, %apart5 ]
  %sum = add <32 x i8> %42, %11
  ret <32 x i8> %sum

row:                                              ; preds = %0
  %12 = sext i32 %5 to i64
  %13 = mul i64 %12, 1
  %14 = getelementptr i8, ptr %base, i64 %13
  %15 = load <32 x i8>, ptr %14, align 1
  br label %41

apart:                                            ; preds = %0
  %16 = getelementptr i8, ptr %base, i64 992
  %17 = getelementptr i8, ptr %base, i64 0
  %18 = ptrtoint ptr %16 to i64
  %19 = and i64 %18, 4095
  %20 = icmp ule i64 %19, 4064
  %21 = ptrtoint ptr %17 to i64
  %22 = and i64 %21, 4095
  %23 = icmp ule i64 %22, 4064
  %24 = and i1 %20, %23
  %25 = and i1 true, %24
  br i1 %25, label %two.rows, label %apart1

two.rows:                                         ; preds = %apart
  %26 = getelementptr i8, ptr %2, i64 32
  %27 = load <32 x i8>, ptr %16, align 1
  store <32 x i8> %27, ptr %2, align 1
  %28 = load <32 x i8>, ptr %17, align 1
  store <32 x i8> %28, ptr %26, align 1
  %29 = sub i32 %5, 992
  %30 = zext i32 %29 to i64
  %31 = mul i64 %30, 1
  %32 = getelementptr i8, ptr %2, i64 %31
  %33 = load <32 x i8>, ptr %32, align 1
  br label %41

apart1:                                           ; preds = %apart
  %34 = insertelement <32 x i32> poison, i32 %x, i64 0
  %35 = shufflevector <32 x i32> %34, <32 x i32> poison, <32 x i32> zeroinitializer
  %36 = add <32 x i32> %35, <i32 -1, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30>
  %37 = and <32 x i32> %36, splat (i32 1023)
  %38 = sext <32 x i32> %37 to <32 x i64>
  %39 = getelementptr i8, ptr %base, <32 x i64> %38
  %40 = call <32 x i8> @spmd.gather.8(<32 x ptr> %39, i32 -1) #0
  br label %41

41:                                               ; preds = %apart1, %two.rows, %row
  %42 = phi <32 x i8> [ %15, %row ], [ %33, %two.rows ], [ %40, %apart1 ]
  %43 = extractelement <32 x i8> %42, i64 0
  %44 = zext i8 %43 to i32
  %45 = shl i32 %44, 10
  %46 = freeze i32 %x
  %47 = add i32 %46, 1
  %48 = and i32 %47, 1023
  %49 = freeze i32 %45
  %50 = add i32 %48, %49
  %51 = icmp ule i32 %48, 992
  %52 = add i32 %50, 31
  %53 = icmp sle i32 %50, %52
  %54 = and i1 %51, %53
  br i1 %54, label %row2, label %apart3

row2:                                             ; preds = %41
  %55 = sext i32 %50 to i64
  %56 = mul i64 %55, 1
  %57 = getelementptr i8, ptr %base, i64 %56
  %58 = load <32 x i8>, ptr %57, align 1
  br label %10

apart3:                                           ; preds = %41
  %59 = add i32 %49, 1023
  %60 = icmp sle i32 %49, %59
  %61 = sub i32 %59, 31
  %62 = sext i32 %61 to i64
  %63 = sext i32 %49 to i64
  %64 = mul i64 %62, 1
  %65 = getelementptr i8, ptr %base, i64 %64
  %66 = mul i64 %63, 1
  %67 = getelementptr i8, ptr %base, i64 %66
  %68 = ptrtoint ptr %65 to i64
  %69 = and i64 %68, 4095
  %70 = icmp ule i64 %69, 4064
  %71 = ptrtoint ptr %67 to i64
  %72 = and i64 %71, 4095
  %73 = icmp ule i64 %72, 4064
  %74 = and i1 %70, %73
  %75 = and i1 %60, %74
  br i1 %75, label %two.rows4, label %apart5

two.rows4:                                        ; preds = %apart3
  %76 = getelementptr i8, ptr %1, i64 32
  %77 = load <32 x i8>, ptr %65, align 1
  store <32 x i8> %77, ptr %1, align 1
  %78 = load <32 x i8>, ptr %67, align 1
  store <32 x i8> %78, ptr %76, align 1
  %79 = sub i32 %48, 992
  %80 = zext i32 %79 to i64
  %81 = mul i64 %80, 1
  %82 = getelementptr i8, ptr %1, i64 %81
  %83 = load <32 x i8>, ptr %82, align 1
  br label %10

apart5:                                           ; preds = %apart3
  %84 = insertelement <32 x i32> poison, i32 %x, i64 0
  %85 = shufflevector <32 x i32> %84, <32 x i32> poison, <32 x i32> zeroinitializer
  %86 = add <32 x i32> %85, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32>
  %87 = and <32 x i32> %86, splat (i32 1023)
  %88 = insertelement <32 x i32> poison, i32 %45, i64 0
  %89 = shufflevector <32 x i32> %88, <32 x i32> poison, <32 x i32> zeroinitializer
  %90 = or disjoint <32 x i32> %87, %89
  %91 = sext <32 x i32> %90 to <32 x i64>
  %92 = getelementptr i8, ptr %base, <32 x i64> %91
  %93 = call <32 x i8> @spmd.gather.8(<32 x ptr> %92, i32 -1) #0
  br label %10
}

attributes #0 = { cold }
